import { expect, test } from 'vitest';
import { waitUntil } from '../support/wait-for.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** The last number: how far ahead the time is. A run counts as the third only if it was not past when it was planned. */
const deaths = [
  ['right after its time has fired', 'schedule-fired', 2_500],
  ['when its run begins', 'run-begun:3', 20_000],
  ['before its answer is sent', 'reply-stored:2', 2_500],
] as const;

/** Calls it for a time that far ahead, in milliseconds; twice as far each time, for a machine on which that was past already. */
function soon(ahead: number, call: (at: string) => { name: string; arguments: Readonly<Record<string, string>> }) {
  let next = ahead;
  return () => {
    const at = new Date(Date.now() + next).toISOString();
    next *= 2;
    return { calls: [call(at)] };
  };
}

test.concurrent.each(deaths)(
  'a task that is planned is done once, though the process is killed %s',
  async (_when, point, ahead) => {
    await using setting = await TelegramSetting.start({ crashAt: point });
    const { telegram, model, daemon } = setting;
    const chat = setting.newOwner();
    const plan = soon(ahead, (at) => ({
      name: 'schedule',
      arguments: { action: 'create', task: 'water the plants', at },
    }));
    model
      .onUser('scheduled_task', 'The plants are watered.')
      .onResult('That is past', plan)
      .onUser('water the plants soon', plan)
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
  // Long enough that it does not come before the process is gone.
  const plan = soon(4_000, (at) => {
    due = Date.parse(at);
    return { name: 'remind', arguments: { text: 'the tea is ready', at } };
  });
  model.onUser('remind me soon', plan).onResult('That is past', plan).onResult('is set', 'I will.');
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
