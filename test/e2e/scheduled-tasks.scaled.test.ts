import { expect, test } from 'vitest';
import { sampled } from '../support/thorough.ts';
import { waitUntil } from '../support/wait-for.ts';
import { crashingMain } from './errand.ts';
import { TelegramSetting } from './telegram-setting.ts';

const deaths = [
  ['right after its time has fired', 'schedule-fired'],
  ['when its run begins', 'run-begun:3'],
  ['before its answer is sent', 'reply-stored:2'],
] as const;

test.concurrent.each(sampled(deaths, 3))(
  'a task that is planned is done once, though the process is killed %s',
  async (_when, point) => {
    await using setting = await TelegramSetting.start({ entry: crashingMain, env: { KEYTURN_CRASH_AT: point } });
    const { telegram, model, daemon } = setting;
    const chat = setting.newOwner();
    model
      .onUser('scheduled_task', 'The plants are watered.')
      .onUser('water the plants soon', () => {
        const at = new Date(Date.now() + 2_500).toISOString();
        return { calls: [{ name: 'schedule', arguments: { action: 'create', task: 'water the plants', at } }] };
      })
      .onResult('Planned as', 'It is planned.');
    telegram.say(chat, 'water the plants soon');
    await telegram.waitForMessage(chat, 'It is planned.');
    expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await daemon.restart();
    await telegram.waitForMessage(chat, 'The plants are watered.');
    telegram.say(chat, 'and now?');
    await telegram.waitForMessage(chat, 'echo: and now?');
    expect(setting.said(chat).filter((text) => text.includes('watered'))).toHaveLength(1);
    expect(
      model.requests.filter(({ lastUserText }) => lastUserText.includes('scheduled_task')).length,
    ).toBeLessThanOrEqual(2);
  },
);

test.concurrent('a reminder whose time comes while no process is there is said by the next one, once', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  let due = Number.POSITIVE_INFINITY;
  model
    .onUser('remind me soon', () => {
      // Long enough that it does not come before the process is gone.
      due = Date.now() + 4_000;
      const at = new Date(due).toISOString();
      return { calls: [{ name: 'remind', arguments: { text: 'the tea is ready', at } }] };
    })
    .onResult('will be said', 'I will.');
  telegram.say(chat, 'remind me soon');
  await telegram.waitForMessage(chat, 'I will.');
  await daemon.kill();
  await waitUntil(() => Date.now() > due + 100);
  await daemon.restart();
  await telegram.waitForMessage(chat, '⏰ the tea is ready');
  // Told to end, it notes that the message is shown.
  await daemon.stop();
  await daemon.restart();
  telegram.say(chat, 'and now?');
  await telegram.waitForMessage(chat, /and now\?/);
  expect(setting.said(chat).filter((text) => text.startsWith('⏰'))).toEqual(['⏰ the tea is ready']);
});
