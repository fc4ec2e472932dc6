import { afterAll, beforeAll, expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const ada = 11;
let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start({ config: { owners: [] } });
});

afterAll(() => setting.dispose());

function codeOf(): string {
  return /\/claim ([a-z0-9]+)/.exec(setting.daemon.output)?.[1] ?? 'no code was printed';
}

test('the first who shows the printed code owns it', async () => {
  const { telegram } = setting;
  telegram.say(ada, `/claim ${codeOf()}`);
  await telegram.waitForMessage(ada, 'is yours now');
  telegram.say(ada, 'hello');
  await telegram.waitForMessage(ada, 'echo: hello');
});

test('a new process has an owner and prints no code', async () => {
  await setting.restart();
  expect(setting.daemon.output).not.toContain('/claim');
  setting.telegram.say(ada, 'still there?');
  await setting.telegram.waitForMessage(ada, 'echo: still there?');
});
