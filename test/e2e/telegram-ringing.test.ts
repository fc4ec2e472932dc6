import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShownMessage } from '../../packages/fakes/src/telegram/chats.ts';
import { TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start();
});

afterAll(() => setting.dispose());

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(12).trim();

function rung(chat: number): readonly ShownMessage[] {
  return setting.telegram.chat(chat).filter(({ from, isSilent }) => from === 'bot' && isSilent !== true);
}

test('of a run with three tools and words between them, the phone rings for the card and the answer', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const look = { name: 'list_files', arguments: { path: '.' } };
  const call = { name: 'shell', arguments: { command: 'echo ready' } };
  model.onUser('look twice, then run it', { text: `${long} First.`, pieceDelayMs: 20, calls: [look, look] });
  model.onResult(/ready/, { text: `${long} Done.`, pieceDelayMs: 20 });
  model.onResult(/./, { text: 'And now the command.', calls: [call] });
  const card = await setting.askFor(chat, 'look twice, then run it');
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'Done.');
  expect(rung(chat).map(({ id, text }) => (id === card.id ? 'the card' : text))).toEqual(['the card', `${long} Done.`]);
  expect(telegram.chat(chat).filter(({ isSilent }) => isSilent).length).toBeGreaterThan(1);
  // It was read while it was written, and no message was edited for that.
  expect(telegram.callsOf('sendMessageDraft').length).toBeGreaterThan(0);
});

test('an answer to somebody who had blocked the bot is offered to them when they talk to it again', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'hello');
  await telegram.waitForMessage(chat, 'echo: hello');
  const { promise, resolve } = Promise.withResolvers<void>();
  model.onUser('a long question', { text: 'the lost answer', until: promise });
  telegram.say(chat, 'a long question');
  await model.waitFor(() => model.requests.at(-1)?.lastUserText === 'a long question');
  telegram.people.member(chat, 'removed');
  resolve();
  // The answer, and what says in its place that it could not be shown.
  await telegram.waitFor(() => telegram.callsOf('sendMessage').filter(({ status }) => status === 403).length === 2);
  telegram.people.member(chat, 'added');
  telegram.say(chat, 'I am back');
  await telegram.waitForMessage(chat, 'echo: I am back');
  const offer = await telegram.waitFor(() => telegram.chat(chat).find(({ buttons }) => buttons.length > 0));
  expect(offer.isSilent).toBe(true);
  telegram.press(chat, offer.id, offer.buttons[0]?.data ?? '');
  await telegram.waitForMessage(chat, 'the lost answer');
});
