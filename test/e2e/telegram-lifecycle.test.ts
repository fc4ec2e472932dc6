import { afterEach, expect, test } from 'vitest';
import { DaemonProcess } from '../support/daemon-process.ts';
import { TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

afterEach(() => setting.dispose());

test('told to end while a message is under way and a card waits, it ends; afterwards both go on', async () => {
  setting = await TelegramSetting.start();
  const { telegram, model, daemon } = setting;
  const [chat, other] = [setting.newOwner(), setting.newOwner()];
  model
    .onUser('ask me first', { calls: [{ name: 'shell', arguments: { command: 'echo asked' } }] })
    .onResult('asked', 'Thank you.');
  const card = await setting.askFor(chat, 'ask me first');
  const hanging = telegram.fault({ kind: 'hang', done: true, method: 'sendMessage' });
  telegram.say(other, 'answer me');
  await telegram.waitFor(() => hanging.fired === 1);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });

  hanging.remove();
  telegram.say(other, 'are you there?');
  telegram.press(chat, card.id, '✅ Approve');
  await setting.restart();
  await telegram.waitForMessage(chat, 'Thank you.');
  const decided = await setting.shows(chat, card.id, '✅ Approved by');
  expect(decided.buttons).toEqual([]);
  await telegram.waitForMessage(other, 'echo: are you there?');
  const answers = setting.said(other).filter((text) => text === 'echo: answer me');
  expect(answers.length).toBeGreaterThanOrEqual(1);
  expect(answers.length).toBeLessThanOrEqual(2);
});

test('a second process on the same data refuses to start and names the first; after a kill, a new one starts', async () => {
  setting = await TelegramSetting.start();
  const config = { data_dir: setting.daemon.dataDir, model: 'offline' };
  await using second = DaemonProcess.start({ config });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.output).toContain(
    `Another Keyturn (process ${setting.daemon.pid}) works with ${setting.daemon.dataDir}.`,
  );
  expect(second.output).toContain('Stop it first');
  const chat = setting.newOwner();
  setting.telegram.say(chat, 'undisturbed?');
  await setting.telegram.waitForMessage(chat, 'echo: undisturbed?');

  await setting.restart();
  setting.telegram.say(chat, 'again?');
  await setting.telegram.waitForMessage(chat, 'echo: again?');
});
