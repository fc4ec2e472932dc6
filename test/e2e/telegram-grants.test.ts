import { afterAll, beforeAll, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

function shellCall(command: string) {
  return { calls: [{ name: 'shell', arguments: { command } }] };
}

let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start();
});

afterAll(() => setting.dispose());

function answering(word: string, command: string): void {
  setting.model
    .onUser(new RegExp(`${word}$`), shellCall(command))
    .onRequest(
      ({ lastUserText, lastResults }) => lastUserText.endsWith(word) && lastResults.length > 0,
      `Ran ${word}.`,
    );
}

test('15 minutes of a program that only reads ask no more for any of its calls, are listed, survive a restart, and end when revoked', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  answering('one', 'echo 1');
  answering('two', 'echo 2');
  const card = await setting.askFor(chat, 'one');
  telegram.press(chat, card.id, '15 min: echo');
  await telegram.waitForMessage(chat, 'Ran one.');
  await setting.shows(chat, card.id, 'as is every later call of shell with echo here for a while');
  await setting.restart();
  telegram.say(chat, 'two');
  await telegram.waitForMessage(chat, 'Ran two.');
  telegram.say(chat, '/grants');
  const { text } = await telegram.waitForMessage(chat, 'Saved permissions in this chat');
  const [, id] = /([a-z0-9]{6}): every call of shell/.exec(text) ?? [];
  telegram.say(chat, `/revoke ${id}`);
  await telegram.waitForMessage(chat, 'Revoked.');
  await setting.askFor(chat, 'two');
});

test('Always asks no more for exactly this call, and goes on asking for every other', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  answering('three', 'echo 3');
  answering('four', 'echo 4');
  const card = await setting.askFor(chat, 'three');
  telegram.press(chat, card.id, 'Always');
  await telegram.waitForMessage(chat, 'Ran three.');
  telegram.say(chat, '/new');
  await telegram.waitForMessage(chat, 'A new conversation');
  telegram.say(chat, 'three');
  await telegram.waitFor(() => setting.said(chat).filter((text) => text === 'Ran three.').length === 2);
  await setting.askFor(chat, 'four');
  telegram.say(chat, '/grants');
  await telegram.waitForMessage(chat, /always run echo 3 for/);
  telegram.say(chat, '/revoke all');
  await telegram.waitForMessage(chat, 'Revoked.');
});
