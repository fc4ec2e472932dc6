import { afterAll, beforeAll, expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const ada = 11;
const stranger = 12;
const listed = 13;
let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start({ config: { owners: [] }, channel: { allow_from: [String(listed)] } });
});

afterAll(() => setting.dispose());

function codeOf(): string {
  return /\/claim ([a-z0-9]+)/.exec(setting.daemon.output)?.[1] ?? 'no code was printed';
}

test('who writes before anybody owns it is turned away once, with the id that an owner would need', async () => {
  const { telegram, model } = setting;
  telegram.say(stranger, 'hello there');
  await telegram.waitForMessage(stranger, 'private assistant');
  telegram.say(stranger, 'why not?');
  telegram.say(stranger, '/status');
  telegram.say(stranger, '/claim wrong');
  await telegram.waitForMessage(stranger, 'That is not the code');
  expect(setting.said(stranger)).toHaveLength(2);
  expect(setting.said(stranger)[0]).toContain(`telegram:${stranger}`);
  expect(model.requests).toEqual([]);
});

test('who may talk, but is no owner, is not told that it is theirs, and can claim it as everybody can', async () => {
  const { telegram } = setting;
  telegram.say(listed, '/claim wrong');
  await telegram.waitForMessage(listed, 'That is not the code');
});

test('the first who shows the printed code owns it', async () => {
  const { telegram } = setting;
  telegram.say(ada, `/claim ${codeOf()}`);
  await telegram.waitForMessage(ada, 'is yours now');
  telegram.say(ada, 'hello');
  await telegram.waitForMessage(ada, 'echo: hello');
});

test('the same code makes no second owner, and strangers stay strangers', async () => {
  const { telegram, model } = setting;
  const asked = model.requests.length;
  const latecomer = 14;
  telegram.say(latecomer, `/claim ${codeOf()}`);
  await telegram.waitForMessage(latecomer, 'private assistant');
  telegram.say(latecomer, 'let me in');
  for (const person of [ada, listed]) {
    telegram.say(person, '/claim again');
    await telegram.waitForMessage(person, 'already has an owner');
  }
  expect(setting.said(latecomer)).toHaveLength(1);
  expect(model.requests).toHaveLength(asked);
});

test('a new process has an owner and prints no code', async () => {
  await setting.restart();
  expect(setting.daemon.output).not.toContain('/claim');
  setting.telegram.say(ada, 'still there?');
  await setting.telegram.waitForMessage(ada, 'echo: still there?');
});
