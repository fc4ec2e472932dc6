import { afterAll, beforeAll, expect, test } from 'vitest';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import { TelegramTestApi } from '../support/telegram-test-api.ts';

/** The same talk as elsewhere, with a Bot API server that others have written: what ours allows, theirs may not. */
const chat = 21;
let model: ModelServer;
let telegram: TelegramTestApi;
let daemon: DaemonProcess;

beforeAll(async () => {
  [model, telegram] = await Promise.all([ModelServer.start(), TelegramTestApi.start()]);
  const main = { provider: 'openai_compatible', name: 'test', base_url: model.url };
  const channel = { enabled: true, token: telegram.token, api_root: telegram.root };
  daemon = DaemonProcess.start({ config: { models: { main }, channels: { telegram: channel } } });
  await daemon.waitForOutput('channel connected');
});

afterAll(async () => {
  await daemon.dispose();
  await Promise.all([model.close(), telegram.close()]);
});

test('a person claims it with the printed code, and talks with it', async () => {
  const [, code] = /\/claim ([a-z0-9]+)/.exec(daemon.output) ?? [];
  await telegram.say(chat, `/claim ${code}`);
  await telegram.waitForMessage(chat, ({ text }) => text.includes('is yours now'));
  await telegram.say(chat, 'hello');
  await telegram.waitForMessage(chat, ({ text }) => text === 'echo: hello');
});

test('a call that is approved by its button runs, and the card says so', async () => {
  model
    .onUser('run it', { calls: [{ name: 'shell', arguments: { command: 'echo it ran' } }] })
    .onResult('it ran', 'It ran.');
  await telegram.say(chat, 'run it');
  const card = await telegram.waitForMessage(chat, ({ text }) => text.startsWith('🔑 Run echo it ran?\n'));
  await telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, ({ text }) => text === 'It ran.');
  await telegram.waitForMessage(chat, ({ id, text }) => id === card.id && text.includes('✔️'));
});

test('a call that is denied does not run, and the model is told so', async () => {
  model
    .onUser('leave it alone', { calls: [{ name: 'shell', arguments: { command: 'echo never' } }] })
    .onResult('denied this call', 'I did not run it.');
  await telegram.say(chat, 'leave it alone');
  const card = await telegram.waitForMessage(chat, ({ text }) => text.startsWith('🔑 Run echo never?\n'));
  await telegram.press(chat, card.id, '❌ Deny');
  await telegram.waitForMessage(chat, ({ text }) => text === 'I did not run it.');
});

test('a new process has an owner, and prints no code', async () => {
  await daemon.restart();
  await daemon.waitForOutput('channel connected');
  expect(daemon.output).not.toContain('/claim');
});
