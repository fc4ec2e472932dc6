import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requestFaults } from './request-faults.ts';
import { TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

beforeEach(async () => {
  setting = await TelegramSetting.start();
});

afterEach(() => setting.dispose());

/** A file stands where the workspace was, so that nothing can work there. */
function breakWorkspace(isBroken: boolean): void {
  const { workspace } = setting.daemon;
  rmSync(workspace, { recursive: true });
  if (isBroken) writeFileSync(workspace, 'no folder');
  else mkdirSync(workspace);
}

test('a fault inside while a call is to begin ends the run in words, and the conversation goes on when it is mended', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const calls = ['first', 'second'].map((name) => ({ name: 'shell', arguments: { command: `echo ${name}` } }));
  model.onUser('do it', { calls });
  const first = await setting.askFor(chat, 'do it');
  const second = await setting.cardAfter(chat, first.id);
  breakWorkspace(true);
  telegram.press(chat, first.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'cannot be used');
  await setting.shows(chat, first.id, '⚠️ It did not run');
  breakWorkspace(false);
  telegram.say(chat, 'hello again');
  await telegram.waitForMessage(chat, 'hello again');
  telegram.press(chat, second.id, '✅ Approve');
  await setting.shows(chat, second.id, '✔️ Done in');
  await telegram.waitForMessage(chat, 'outcome="success"');
  expect(model.requests).toHaveLength(3);
  expect(model.requests.flatMap(requestFaults)).toEqual([]);
  expect(model.requests[1]?.messages.map(({ text }) => text).join('\n')).toContain(
    'Not executed: something went wrong',
  );
});
