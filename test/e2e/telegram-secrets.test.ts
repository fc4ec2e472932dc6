import { expect, test } from 'vitest';
import { modelKey } from './daemon-config.ts';
import { TelegramSetting } from './telegram-setting.ts';

const shellSecret = 'shell-environment-secret-42';
const options = { env: { SOME_PASSWORD: shellSecret }, channel: { request_timeout_secs: 1 } };

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

test.concurrent('neither the token nor the key nor the environment stands in the log, at any level', async () => {
  await using setting = await TelegramSetting.start({ ...options, config: { log: { level: 'debug' } } });
  setting.telegram.say(-1999, 'in a group that is in no config', { from: setting.newOwner() });
  await misadventures(setting, setting.newOwner(), 'orange giraffe');
  const { output } = setting.daemon;
  expect(output).toContain('"level":20');
  for (const secret of [setting.telegram.token, encodeURIComponent(setting.telegram.token), modelKey, shellSecret])
    expect(output).not.toContain(secret);
});

test.concurrent('what people and the model say does not stand in the log', async () => {
  await using setting = await TelegramSetting.start(options);
  await misadventures(setting, setting.newOwner(), 'purple elephant');
  expect(setting.daemon.output).toContain('a message could not be sent');
  expect(setting.daemon.output).not.toContain('purple elephant');
});
