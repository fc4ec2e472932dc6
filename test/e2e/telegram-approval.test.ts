import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { approvalIdOf, TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start();
});

afterAll(() => setting.dispose());

/** A new owner, and a model that calls shell with this when it is told the word, and says that it is done afterwards. */
function ownerWhoMayRun(word: string, command: string): number {
  setting.model
    .onUser(word, { calls: [{ name: 'shell', arguments: { command } }] })
    .onRequest(
      ({ messages, lastResults }) =>
        lastResults.length > 0 && messages.findLast(({ role }) => role === 'user')?.text === word,
      `Done with ${word}.`,
    );
  return setting.newOwner();
}

/** What commands have left behind in the workspace. */
function written(name: string): string {
  return readFileSync(join(setting.daemon.workspace, name), 'utf8');
}

function requestAfter(word: string) {
  return setting.model.requests.find(
    ({ lastUserText, lastResults }) => lastUserText === word && lastResults.length > 0,
  );
}

test('a call that makes no sense is not asked about, and the model is told what is wrong with it', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const calls = [
    { name: 'shell', arguments: '{"command": ' },
    { name: 'no_such_tool', arguments: {} },
    { name: 'shell', arguments: { comand: 'true' } },
  ];
  model.onUser('make mistakes', { calls }).onResult('no_such_tool', 'I was wrong.');
  telegram.say(chat, 'make mistakes');
  await telegram.waitForMessage(chat, 'I was wrong.');
  expect(setting.said(chat)).toHaveLength(1);
  expect(requestAfter('make mistakes')?.lastResults).toEqual([
    expect.stringContaining('They are not JSON'),
    expect.stringContaining('There is no tool "no_such_tool" here. Available: ask, create_tool, echo, edit_file'),
    expect.stringContaining('did you mean "command"?'),
  ]);
});

test('what the owner approves runs once, the card says who approved and has no buttons, and the model answers', async () => {
  const chat = ownerWhoMayRun('run it', 'echo ran | tee -a run-it.txt');
  const card = await setting.askFor(chat, 'run it');
  const press = setting.telegram.press(chat, card.id, '✅ Approve');
  expect(await press.answered).toEqual({ text: '', showAlert: false });
  await setting.telegram.waitForMessage(chat, 'Done with run it.');
  const decided = await setting.shows(
    chat,
    card.id,
    /^✅ Approved by Person \d+ at \d\d:\d\d: run .*Done in \d+\.\d s\.$/s,
  );
  expect(decided.buttons).toEqual([]);
  expect(written('run-it.txt')).toBe('ran\n');
  expect(requestAfter('run it')?.lastResults).toEqual(['[exit code 0]\nran']);
  expect(setting.said(chat)).toHaveLength(2);
});

test('two presses decide once, and the second is told that it is decided', async () => {
  const { telegram } = setting;
  const chat = ownerWhoMayRun('press twice', 'echo ran >> twice.txt');
  const card = await setting.askFor(chat, 'press twice');
  const presses = [telegram.press(chat, card.id, '✅ Approve'), telegram.press(chat, card.id, '❌ Deny')];
  const answers = await Promise.all(presses.map(({ answered }) => answered));
  expect(answers.map(({ text }) => text)).toEqual(['', 'That is already approved.']);
  await telegram.waitForMessage(chat, 'Done with press twice.');
  expect(written('twice.txt')).toBe('ran\n');
});

test('a press that is delivered twice decides once', async () => {
  const { telegram } = setting;
  const chat = ownerWhoMayRun('deliver twice', 'echo ran >> delivered.txt');
  const card = await setting.askFor(chat, 'deliver twice');
  const press = telegram.press(chat, card.id, '✅ Approve');
  telegram.redeliver(press.update);
  await telegram.waitForMessage(chat, 'Done with deliver twice.');
  telegram.redeliver(press.update);
  const answers = (): number =>
    telegram.callsOf('answerCallbackQuery').filter(({ params }) => params.callback_query_id === press.id).length;
  await telegram.waitFor(() => answers() === 3);
  const kinds = setting.rows(
    z.object({ kind: z.string() }),
    'SELECT kind FROM audit WHERE conversation_id = ? ORDER BY seq',
    `telegram:${chat}`,
  );
  expect(kinds.map(({ kind }) => kind)).toEqual([
    'call-proposed',
    'approval-asked',
    'approval-decided',
    'call-begun',
    'call-ended',
  ]);
  expect(written('delivered.txt')).toBe('ran\n');
});

test('/approve with the id of a card does what its button does', async () => {
  const { telegram } = setting;
  const chat = ownerWhoMayRun('type it', 'echo ran >> typed.txt');
  const card = await setting.askFor(chat, 'type it');
  telegram.say(chat, `/approve ${approvalIdOf(card).toUpperCase()}`);
  await telegram.waitForMessage(chat, 'Done with type it.');
  await setting.shows(chat, card.id, '✅ Approved by');
  expect(written('typed.txt')).toBe('ran\n');
  telegram.say(chat, `/approve ${approvalIdOf(card)}`);
  await telegram.waitForMessage(chat, 'That is already approved.');
  telegram.say(chat, '/approve nonsense');
  await telegram.waitForMessage(chat, 'There is no such approval.');
});

test('a denial reaches the model with its reason, and nothing runs', async () => {
  const { telegram } = setting;
  const chat = ownerWhoMayRun('deny it', 'echo ran >> denied.txt');
  const card = await setting.askFor(chat, 'deny it');
  telegram.say(chat, `/deny ${approvalIdOf(card)} not on a Friday`);
  await telegram.waitForMessage(chat, 'Done with deny it.');
  const decided = await setting.shows(chat, card.id, '❌ Denied by');
  expect(decided.text).toContain('(not on a Friday)');
  expect(decided.buttons).toEqual([]);
  expect(requestAfter('deny it')?.lastResults[0]).toMatch(
    /^Not executed: Person \d+ was asked and denied this call\. Their reason: not on a Friday /,
  );
  expect(() => written('denied.txt')).toThrow('ENOENT');
});

test('a press of Deny denies without a reason', async () => {
  const chat = ownerWhoMayRun('just no', 'true');
  const card = await setting.askFor(chat, 'just no');
  setting.telegram.press(chat, card.id, '❌ Deny');
  await setting.telegram.waitForMessage(chat, 'Done with just no.');
  expect(requestAfter('just no')?.lastResults[0]).toContain('They gave no reason.');
});

test('a forged press from another chat changes nothing, and only the one who pressed is told', async () => {
  const { telegram } = setting;
  const chat = ownerWhoMayRun('forge it', 'true');
  const card = await setting.askFor(chat, 'forge it');
  const data = card.buttons[0]?.data ?? '';

  const [stranger, otherOwner] = [91, setting.newOwner()];
  telegram.say(stranger, 'hello');
  const refusal = await telegram.waitForMessage(stranger, 'private assistant');
  const strange = telegram.press(stranger, refusal.id, data, { forged: true });
  expect(await strange.answered).toEqual({
    text: 'You may not decide that. Only an approver of this Keyturn may.',
    showAlert: true,
  });

  telegram.say(otherOwner, '/help');
  const help = await telegram.waitForMessage(otherOwner, '/revoke');
  const elsewhere = telegram.press(otherOwner, help.id, data, { forged: true });
  expect((await elsewhere.answered).text).toContain('asked in another chat');
  telegram.say(otherOwner, `/approve ${approvalIdOf(card)}`);
  await telegram.waitForMessage(otherOwner, 'asked in another chat');

  const nonsense = telegram.press(otherOwner, help.id, 'ap:../../etc:a', { forged: true });
  expect((await nonsense.answered).text).toBe('This button no longer does anything.');
  const states = setting.rows(
    z.object({ state: z.string() }),
    'SELECT state FROM approvals WHERE id = ?',
    approvalIdOf(card),
  );
  expect(states).toEqual([{ state: 'pending' }]);
  expect(telegram.chat(chat).find(({ id }) => id === card.id)).toEqual(card);
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
  expect(() => written('forged.txt')).toThrow('ENOENT');
});
