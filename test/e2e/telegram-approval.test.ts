import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayRun, written } from './shell-calls.ts';
import { approvalIdOf, TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start();
});

afterAll(() => setting.dispose());

/** A new owner, who may have this run by saying the word. */
function ownerWhoMayRun(word: string, command: string): number {
  mayRun(setting.model, word, command);
  return setting.newOwner();
}

function requestAfter(word: string) {
  return setting.model.requests.find(
    ({ lastUserText, lastResults }) => lastUserText === word && lastResults.length > 0,
  );
}

test('a card names the tool, its category, what it will do, all arguments, who asked, until when, and how to answer', async () => {
  const chat = ownerWhoMayRun('the card', 'echo "a  b" > c.txt');
  const card = await setting.askFor(chat, 'the card');
  expect(card.text).toContain('Run echo "a  b" > c.txt? Writes files (c.txt).');
  expect(card.text).toContain(
    `Tool Shell, category shell, for telegram:${chat} (Person ${chat}). Asked because shell is a dangerous tool.`,
  );
  expect(card.text).toContain('{\n  "command": "echo \\"a  b\\" > c.txt"\n}');
  expect(card.text).toMatch(/Open for 30 min\. Or type \/approve ([a-z0-9]{8}), \/deny \1 reason\.$/);
  expect(card.buttons.map(({ label }) => label)).toEqual([
    '✅ Approve',
    '❌ Deny',
    '15 min: echo "a  b" > c.txt',
    'Always',
  ]);
  expect(card.entities.filter(({ type }) => type === 'pre')).toMatchObject([{ language: 'json' }]);
});

test('what the model says before a call stands before its card', async () => {
  const { model } = setting;
  const chat = setting.newOwner();
  const calls = [{ name: 'shell', arguments: { command: 'true' } }];
  model.onUser('announce it', { text: 'I will run it now.', calls });
  await setting.askFor(chat, 'announce it');
  expect(setting.said(chat)).toEqual(['I will run it now.', expect.stringContaining('Run true? Read-only.')]);
});

test('arguments that are too long for one message are shown in full before the buttons', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const content = Array.from({ length: 500 }, (_, index) => `row ${index} has "quotes"`).join('\n');
  model
    .onUser('write much', { calls: [{ name: 'write_file', arguments: { path: 'much.txt', content } }] })
    .onResult('Created much.txt', 'It is written.');
  const card = await setting.askFor(chat, 'write much');
  const parts = telegram.chat(chat).filter(({ from }) => from === 'bot');
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.map(({ buttons }) => buttons.length)).toEqual([...parts.slice(1).map(() => 0), 4]);
  const shown = parts.flatMap(({ text, entities }) =>
    entities.filter(({ type }) => type === 'pre').map(({ offset, length }) => text.slice(offset, offset + length)),
  );
  // Telegram itself cuts off the space at the end of a message.
  expect(shown.join('').replaceAll(/\s/g, '')).toContain(JSON.stringify(content).replaceAll(/\s/g, ''));

  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'It is written.');
  await setting.shows(chat, card.id, '✅ Approved by');
  expect(written(setting.daemon, 'much.txt')).toBe(content);
});

test('the card of a change to a file shows the lines that change', async () => {
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  writeFileSync(join(daemon.workspace, 'poem.txt'), 'roses are red\nviolets are green\n');
  const change = { path: 'poem.txt', old_text: 'green', new_text: 'blue' };
  model
    .onUser('mend the poem', { calls: [{ name: 'edit_file', arguments: change }] })
    .onResult('Changed poem.txt', 'Mended.');
  const card = await setting.askFor(chat, 'mend the poem');
  expect(card.text).toContain('-violets are green\n+violets are blue');
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'Mended.');
  expect(written(setting.daemon, 'poem.txt')).toBe('roses are red\nviolets are blue\n');
});

test('a backtick or markdown in the arguments cannot dress up the card', async () => {
  const command = 'true # ` **approved** [x](https://example.com)\n```\nApproved by Ada';
  const chat = ownerWhoMayRun('dress up', command);
  const card = await setting.askFor(chat, 'dress up');
  expect(card.text).toContain(JSON.stringify(command));
  expect(card.entities.map(({ type }) => type).filter((type) => !/^(code|pre|bold)$/.test(type))).toEqual([]);
  const question = card.text.split('\n')[0] ?? '';
  expect(question).toBe(
    '🔑 Run true # ` **approved** [x](https://example.com) ⏎ ``` ⏎ Approved by Ada? Keyturn cannot tell what it does.',
  );
});

test('/approve with the id of a card does what its button does', async () => {
  const { telegram } = setting;
  const chat = ownerWhoMayRun('type it', 'echo ran >> typed.txt');
  const card = await setting.askFor(chat, 'type it');
  telegram.say(chat, `/approve ${approvalIdOf(card).toUpperCase()}`);
  await telegram.waitForMessage(chat, 'Done with type it.');
  await setting.shows(chat, card.id, '✅ Approved by');
  expect(written(setting.daemon, 'typed.txt')).toBe('ran\n');
  telegram.say(chat, `/approve ${approvalIdOf(card)}`);
  await telegram.waitForMessage(chat, 'That is already approved.');
  telegram.say(chat, '/approve nonsense');
  await telegram.waitForMessage(chat, 'There is no such approval.');
});

test('a call that has changed since it was shown does not run', async () => {
  const { telegram, daemon } = setting;
  const chat = ownerWhoMayRun('change the call', 'echo harmless');
  const card = await setting.askFor(chat, 'change the call');
  const database = new Sqlite(join(daemon.dataDir, 'keyturn.db'));
  const forged = JSON.stringify({ command: 'touch forged.txt' });
  database.prepare(`UPDATE calls SET arguments = ? WHERE conversation_id = ?`).run(forged, `telegram:${chat}`);
  database.close();
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'Done with change the call.');
  expect(requestAfter('change the call')?.lastResults[0]).toMatch(
    /^Not executed: the call, .* changed after it was approved/,
  );
  expect(() => written(setting.daemon, 'forged.txt')).toThrow('ENOENT');
});
