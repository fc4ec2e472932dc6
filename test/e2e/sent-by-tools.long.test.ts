import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requestFaults } from './request-faults.ts';
import { TelegramSetting } from './telegram-setting.ts';

const config = { approval: { policy: 'always_allow' }, delivery: { tool_cards: false } };

/** A daemon that dies there, between two owners who have both talked with it. */
async function dyingAt(point: string): Promise<{ setting: TelegramSetting; ada: number; bob: number }> {
  const setting = await TelegramSetting.start({ config, crashAt: point });
  const { telegram } = setting;
  const [ada, bob] = [setting.newOwner(), setting.newOwner()];
  telegram.say(bob, 'hello');
  await telegram.waitForMessage(bob, 'echo: hello');
  return { setting, ada, bob };
}

const messageDeaths = [
  { point: 'reply-sent:2', copies: 1 },
  { point: 'call-begun', copies: 0 },
  { point: 'call-executed', copies: 1 },
];

test.concurrent.each(messageDeaths)(
  'a message to somebody else is sent once at most, also when Keyturn is killed at $point',
  async ({ point, copies }) => {
    const { setting, ada, bob } = await dyingAt(point);
    await using _ = setting;
    const { telegram, model, daemon } = setting;
    model
      .onUser('tell him', {
        calls: [{ name: 'message', arguments: { to: `telegram:${bob}`, text: 'Dinner is ready.' } }],
      })
      .onResult('Outcome unknown', 'Nobody knows.');
    telegram.say(ada, 'tell him');
    expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await daemon.restart();
    await telegram.waitForMessage(ada, 'Nobody knows.');
    telegram.say(bob, 'and?');
    await telegram.waitForMessage(bob, 'echo: and?');
    expect(setting.said(bob).filter((text) => text.includes('Dinner is ready.'))).toHaveLength(copies);
    expect(model.requests.flatMap(requestFaults)).toEqual([]);
  },
);

const fileDeaths = [
  { point: 'reply-sent:2', copies: 2 },
  { point: 'call-executed', copies: 1 },
];

test.concurrent.each(fileDeaths)(
  'a file is shown once, or twice at most, also when Keyturn is killed at $point',
  async ({ point, copies }) => {
    const { setting, ada } = await dyingAt(point);
    await using _ = setting;
    const { telegram, model, daemon } = setting;
    writeFileSync(join(daemon.workspace, 'list.csv'), 'a;b\n');
    model
      .onUser('show it', { calls: [{ name: 'send_file', arguments: { path: 'list.csv' } }] })
      .onResult('is shown in the chat', 'There it is.');
    telegram.say(ada, 'show it');
    expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await daemon.restart();
    await telegram.waitForMessage(ada, 'There it is.');
    const files = telegram.chat(ada).filter(({ file }) => file !== undefined);
    expect(files).toHaveLength(copies);
  },
);
