import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelKey } from './daemon-config.ts';
import { TelegramSetting } from './telegram-setting.ts';

const shellSecret = 'shell-environment-secret-42';
let setting: TelegramSetting;
let quiet: TelegramSetting;

beforeAll(async () => {
  const env = { SOME_PASSWORD: shellSecret };
  [setting, quiet] = await Promise.all([
    TelegramSetting.start({ config: { log: { level: 'debug' } }, env, channel: { request_timeout_secs: 1 } }),
    TelegramSetting.start({ env, channel: { request_timeout_secs: 1 } }),
  ]);
});

afterAll(() => Promise.all([setting.dispose(), quiet.dispose()]));

/** Lets much go well and much go wrong in a chat, with these words in what is said on both sides. */
async function misadventures({ telegram, model }: TelegramSetting, chat: number, words: string): Promise<void> {
  model
    .onUser(/fail$/, { fault: { kind: 'status', status: 400, message: 'no good' } })
    .onUser(/cut$/, { text: `${words} `.repeat(50), fault: { kind: 'cut', afterPieces: 2 } });
  for (const fault of ['drop-after', 'drop-before', 'html'] as const)
    telegram.fault({ kind: fault, method: 'sendMessage', times: 1 });
  telegram.fault({ kind: 'drop-before', method: 'getUpdates', times: 1 });
  telegram.fault({ kind: 'hang', method: 'answerCallbackQuery', times: 1 });
  for (const end of ['first', 'fail', 'cut', 'last']) telegram.say(chat, `${words} ${end}`);
  await telegram.waitForMessage(chat, /last$/);
  telegram.say(chat, `${words} fail`);
  await telegram.waitForMessage(chat, '⚠️');
}

test('a command in the shell sees none of the secrets of the environment', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model
    .onUser('show env', { calls: [{ name: 'shell', arguments: { command: 'env' } }] })
    .onRequest(({ lastUserText, lastResults }) => lastUserText === 'show env' && lastResults.length > 0, 'Shown.');
  const card = await setting.askFor(chat, 'show env');
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'Shown.');
  const result = model.requests.at(-1)?.lastResults[0] ?? '';
  expect(result).toContain('PATH=');
  expect(result).not.toMatch(/SOME_PASSWORD|TEST_TELEGRAM_TOKEN|TEST_MODEL_KEY/);
});

test('neither the token nor the key nor the environment stands in the log, at any level', async () => {
  setting.telegram.say(-1999, 'in a group that is in no config', { from: setting.newOwner() });
  await misadventures(setting, setting.newOwner(), 'orange giraffe');
  const { output } = setting.daemon;
  expect(output).toContain('"level":20');
  for (const secret of [setting.telegram.token, encodeURIComponent(setting.telegram.token), modelKey, shellSecret])
    expect(output).not.toContain(secret);
});

test('a key that the provider quotes when it refuses is shown to nobody', async () => {
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  const quoting = { kind: 'status', status: 400, message: `the key ${modelKey} may not use this model` } as const;
  model.onUser('quote the key', { fault: quoting });
  telegram.say(chat, 'quote the key');
  await telegram.waitForMessage(chat, '⚠️');
  expect(setting.said(chat).join()).not.toContain(modelKey);
  expect(daemon.output).not.toContain(modelKey);
});

test('what people and the model say does not stand in the log', async () => {
  await misadventures(quiet, quiet.newOwner(), 'purple elephant');
  expect(quiet.daemon.output).toContain('a message could not be sent');
  expect(quiet.daemon.output).not.toContain('purple elephant');
});
