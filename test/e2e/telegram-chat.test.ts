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

test('the model reads what was said before in the conversation, and nothing of other conversations', async () => {
  const { telegram, model } = setting;
  const [chat, other] = [setting.newOwner(), setting.newOwner()];
  telegram.say(other, 'the blue secret');
  await telegram.waitForMessage(other, 'echo: the blue secret');
  telegram.say(chat, 'the first question');
  await telegram.waitForMessage(chat, 'echo: the first question');
  telegram.say(chat, 'the second question');
  await telegram.waitForMessage(chat, 'echo: the second question');
  const request = model.requests.at(-1);
  expect(request?.messages.slice(1).map(({ role, text }) => [role, text])).toEqual([
    ['user', 'the first question'],
    ['assistant', 'echo: the first question'],
    ['user', 'the second question'],
  ]);
});

test('after /new the model reads nothing of what was said before', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'remember the old matter');
  await telegram.waitForMessage(chat, 'echo: remember');
  telegram.say(chat, '/new');
  await telegram.waitForMessage(chat, 'A new conversation');
  telegram.say(chat, 'a fresh start');
  await telegram.waitForMessage(chat, 'echo: a fresh start');
  expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain('old matter');
});

test('a message that comes while the model works joins the run at its next turn', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const thinking = Promise.withResolvers<void>();
  model
    .onUser('begin slowly', { calls: [{ name: 'echo', arguments: { message: 'slow' } }], until: thinking.promise })
    .onUser('and by the way', 'Both are answered.');
  telegram.say(chat, 'begin slowly');
  await model.waitFor(() => model.requests.some(({ lastUserText }) => lastUserText === 'begin slowly'));
  const { update_id: id } = telegram.say(chat, 'and by the way');
  await telegram.waitFor(() => telegram.confirmedOffset > id);
  thinking.resolve();
  await telegram.waitForMessage(chat, 'Both are answered.');
  expect(setting.said(chat)).toEqual(['Both are answered.']);
  expect(
    model.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ role, text }) => [role, text]),
  ).toEqual([
    ['user', 'begin slowly'],
    ['assistant', ''],
    ['tool', 'slow'],
    ['user', 'and by the way'],
  ]);
});

test('a message that comes while the model writes its answer is answered after it', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const thinking = Promise.withResolvers<void>();
  model.onUser('think about it', { text: 'The thought.', until: thinking.promise });
  telegram.say(chat, 'think about it');
  await model.waitFor(() => model.requests.some(({ lastUserText }) => lastUserText === 'think about it'));
  const { update_id: id } = telegram.say(chat, 'one more thing');
  await telegram.waitFor(() => telegram.confirmedOffset > id);
  thinking.resolve();
  await telegram.waitForMessage(chat, 'echo: one more thing');
  expect(setting.said(chat)).toEqual(['The thought.', 'echo: one more thing']);
});

test('what the model cannot do is said in words, and the next message is answered', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser(/break$/, { fault: { kind: 'status', status: 401, message: 'no such key' } }).onUser(/be silent$/, '');
  telegram.say(chat, 'break');
  const { text } = await telegram.waitForMessage(chat, '⚠️');
  expect(text).toMatch(/key/i);
  telegram.say(chat, 'be silent');
  await telegram.waitForMessage(chat, 'empty answer');
  telegram.say(chat, 'go on');
  await telegram.waitForMessage(chat, /^echo: .*go on$/s);
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
