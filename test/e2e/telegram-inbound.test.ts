import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PersonFile } from '../support/telegram/person-content.ts';
import { TelegramSetting } from './telegram-setting.ts';

const [family, oldTeam, newTeam] = [-1001, -500, -1_001_000_000_042];
const bot = '@keyturn_test_bot';
let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start({ channel: { groups: { [family]: {}, [oldTeam]: {} } } });
});

afterAll(() => setting.dispose());

/** What the model read last, of what people and Keyturn say. */
function lastRead(): string {
  const { messages = [] } = setting.model.requests.at(-1) ?? {};
  return messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
}

function idOf(update: { readonly message?: { readonly message_id: number } }): number {
  return update.message?.message_id ?? 0;
}

test('what a person corrects before it is answered is answered as it is now', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const thinking = Promise.withResolvers<void>();
  model.onUser(/the wether$/, { text: 'I do not know that word.', until: thinking.promise });
  const said = telegram.say(chat, 'the wether');
  await model.waitFor(() => model.requests.some(({ lastUserText }) => lastUserText === 'the wether'));
  telegram.edit(chat, idOf(said), 'the weather');
  await telegram.waitForMessage(chat, 'echo: the weather');
  thinking.resolve();
  expect(setting.said(chat)).toEqual(['echo: the weather']);
});

test('what a person corrects after it was answered is no new message, and the model reads of it with the next', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  const said = telegram.say(chat, 'written');
  await telegram.waitForMessage(chat, 'echo: written');
  const edited = telegram.edit(chat, idOf(said), 'rewritten');
  telegram.redeliver(edited);
  telegram.say(chat, 'next');
  await telegram.waitForMessage(chat, /^echo: .*next$/s);
  expect(setting.said(chat)).toHaveLength(2);
  expect(lastRead().match(/It says now:\n> rewritten/g)).toHaveLength(1);
});

test('what a person quotes reaches the model, whoever wrote it', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'tell me of rain');
  const { id } = await telegram.waitForMessage(chat, 'echo: tell me of rain');
  telegram.say(chat, 'why that?', { replyTo: id, quote: 'of rain' });
  await telegram.waitForMessage(chat, /why that\?$/);
  expect(lastRead()).toMatch(/in reply to you:\]\n> of rain\nwhy that\?$/);

  const photo = telegram.say(family, 'a word of mine', { from: 77 });
  telegram.say(family, `${bot} what does she mean?`, { from: chat, replyTo: idOf(photo) });
  await telegram.waitForMessage(family, 'what does she mean?');
  expect(lastRead()).toContain('[in reply to Person 77:]\n> a word of mine');
});

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

test('a group that becomes a supergroup goes on with what was said in it', async () => {
  const { telegram } = setting;
  const owner = setting.newOwner();
  telegram.say(oldTeam, `${bot} remember the number seven`, { from: owner });
  await telegram.waitForMessage(oldTeam, 'the number seven');
  const moves = telegram.people.migrate(oldTeam, newTeam);
  telegram.say(newTeam, `${bot} what was it?`, { from: owner });
  await telegram.waitForMessage(newTeam, 'what was it?');
  expect(lastRead()).toContain('remember the number seven');

  // What is delivered once more, and a restart, change nothing.
  for (const move of moves) telegram.redeliver(move);
  await setting.restart();
  telegram.say(newTeam, `${bot} and now?`, { from: owner });
  await telegram.waitForMessage(newTeam, 'and now?');
  expect(lastRead()).toContain('remember the number seven');
  expect(setting.said(oldTeam)).toHaveLength(1);
});

test('what is neither a text nor a file is told to the model in words', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  telegram.people.show(chat, { location: { latitude: 48.1, longitude: 11.5 } });
  await telegram.waitForMessage(chat, 'echo: [location: 48.1, 11.5]');
});

test('the button below a draft stops what is being done', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const thinking = Promise.withResolvers<void>();
  model.onUser(/take your time$/, { text: 'Never said.', until: thinking.promise });
  telegram.say(chat, 'take your time');
  await model.waitFor(() => model.requests.some(({ lastUserText }) => lastUserText === 'take your time'));
  telegram.people.stopDraft(chat, 1);
  await telegram.waitForMessage(chat, /stop/i);
  thinking.resolve();
  expect(setting.said(chat)).not.toContain('Never said.');
});
