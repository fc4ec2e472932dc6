import { afterAll, beforeAll, expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

beforeAll(async () => {
  // What comes while the model thinks is meant to come later here.
  setting = await TelegramSetting.start({ config: { agent: { burst_ms: 0 }, delivery: { tool_cards: false } } });
});

afterAll(() => setting.dispose());

test('what the model writes in markdown arrives as text with entities, and is never left to Telegram to parse', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('format this', 'A **bold** word, `code` and a [link](https://example.com).\n\n```js\nconst a = 1;\n```');
  telegram.say(chat, 'format this');
  const { text, entities, parseMode } = await telegram.waitForMessage(chat, 'bold');
  expect(text).toBe('A bold word, code and a link.\n\nconst a = 1;');
  expect(entities).toMatchObject([
    { type: 'bold', offset: 2, length: 4 },
    { type: 'code', offset: 13, length: 4 },
    { type: 'text_link', offset: 24, length: 4, url: 'https://example.com/' },
    { type: 'pre', language: 'js', offset: 31, length: 12 },
  ]);
  expect(parseMode).toBeUndefined();
});

test('commands are answered, and unknown ones are said to be', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const asked = model.requests.length;
  telegram.say(chat, '/help');
  await telegram.waitForMessage(chat, '/revoke ID');
  telegram.say(chat, '/status');
  const status = await telegram.waitForMessage(chat, 'Model:');
  expect(status.text).toContain('connected as @keyturn_test_bot');
  telegram.say(chat, '/tools');
  const tools = await telegram.waitForMessage(chat, 'Tools here');
  expect(tools.text).toMatch(/shell .*asks first/);
  expect(tools.text).toMatch(/read_file .*never asks/);
  telegram.say(chat, '/fly away');
  await telegram.waitForMessage(chat, 'I do not know /fly');
  telegram.say(chat, '/stop');
  await telegram.waitForMessage(chat, 'nothing to stop');
  expect(model.requests).toHaveLength(asked);
});
