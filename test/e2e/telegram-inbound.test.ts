import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PersonFile } from '../support/telegram/people.ts';
import { approvalIdOf, TelegramSetting } from './telegram-setting.ts';

const family = -1001;
const bot = '@keyturn_test_bot';
let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start({ channel: { groups: { [family]: {} } } });
});

afterAll(() => setting.dispose());

/** What the model read last, of what people and Keyturn say. */
function lastRead(): string {
  const { messages = [] } = setting.model.requests.at(-1) ?? {};
  return messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
}

test('an album in a group is one question, of which the caption alone has to name the bot', async () => {
  const { telegram, model } = setting;
  const owner = setting.newOwner();
  const files = ['one', 'two', 'three'].map(
    (name): PersonFile => ({
      type: 'document',
      bytes: Buffer.from(`file ${name}`),
      name: `${name}.txt`,
      mediaType: 'text/plain',
    }),
  );
  const asked = model.requests.length;
  telegram.people.sendAlbum(family, files, { from: owner, caption: `${bot} which is best?`, captionAt: 2 });
  await telegram.waitForMessage(family, 'which is best?');
  expect(model.requests).toHaveLength(asked + 1);
  expect(telegram.callsOf('download')).toHaveLength(3);
  for (const { name } of files) expect(lastRead()).toContain(name);
  const saved = readdirSync(setting.daemon.workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(saved).toEqual(expect.arrayContaining(['file one', 'file two', 'file three']));
});

const bob = { type: 'user', sender_user: { id: 98, is_bot: false, first_name: 'Bob' }, date: 1 } as const;
const viaBot = { id: 9, is_bot: true, first_name: 'Gif', username: 'gif' };

test('a decision that is forwarded, or written by an inline bot, decides nothing', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('run it', { calls: [{ name: 'shell', arguments: { command: 'touch ran' } }] });
  const card = await setting.askFor(chat, 'run it');
  const order = `/approve ${approvalIdOf(card)}`;
  telegram.say(chat, order, { forwardedFrom: bob });
  telegram.say(chat, order, { viaBot });
  await model.waitFor(() => lastRead().includes('written by the bot @gif'));
  await telegram.waitForMessage(chat, /^echo:/);
  expect(telegram.chat(chat).find(({ id }) => id === card.id)?.buttons).not.toEqual([]);
  expect(lastRead()).toContain(`[forwarded, written by Bob:]\n> ${order}`);
  telegram.say(chat, `/deny ${approvalIdOf(card)}`);
  await setting.shows(chat, card.id, '❌ Denied');
});

test('a code that a stranger has an owner forward lets nobody in', async () => {
  const { telegram, model } = setting;
  const [chat, stranger] = [setting.newOwner(), 4098];
  telegram.say(stranger, 'hello');
  const { text } = await telegram.waitForMessage(stranger, /\/pair [a-z0-9]+/);
  const order = /\/pair [a-z0-9]+/.exec(text)?.[0] ?? '';
  telegram.say(chat, order, { forwardedFrom: bob });
  await model.waitFor(() => lastRead().includes(order));
  await telegram.waitForMessage(chat, /^echo:/);
  expect(setting.said(chat).join()).not.toContain('Let in');
  telegram.say(chat, order);
  await telegram.waitForMessage(chat, /Let in/);
});

test('what is forwarded answers no question, and the model reads whose words it is, also after a restart', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('ask me', { calls: [{ name: 'ask', arguments: { question: 'Delete it?', options: ['yes', 'no'] } }] });
  telegram.say(chat, 'ask me');
  const question = await telegram.waitForMessage(chat, 'Delete it?');
  telegram.say(chat, 'yes', { forwardedFrom: bob });
  await telegram.waitForMessage(chat, /^echo:/);
  expect(telegram.chat(chat).find(({ id }) => id === question.id)?.buttons).not.toEqual([]);
  await setting.restart();
  telegram.say(chat, 'no');
  await telegram.waitForMessage(chat, /no/);
  telegram.say(chat, 'go on');
  await telegram.waitForMessage(chat, /go on$/);
  expect(lastRead()).toContain('[forwarded, written by Bob:]\n> yes');
});

test('what an inline bot changes before it is read is read as it is then, and later as a change', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const said = telegram.say(chat, '/new', { viaBot });
  await telegram.waitForMessage(chat, /^echo:/);
  telegram.edit(chat, said.message?.message_id ?? 0, '/stop');
  telegram.say(chat, 'and now?');
  await telegram.waitForMessage(chat, /and now\?$/);
  expect(lastRead()).toMatch(/It says now:\n\[sent by Person \d+, written by the bot @gif:\]\n> \/stop/);
  expect(model.requests.length).toBeGreaterThan(1);
});
