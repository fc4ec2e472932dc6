import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { cardWords } from '../../../src/approval/asking/words.ts';
import { createRetentionStore, type RetentionPlace, stepRows } from '../../../src/features/data/tables.ts';
import { proveAudit } from '../../../src/store/audit-proof.ts';
import { createTextReader, TextCount } from '../../../src/store/audit-texts.ts';
import { keptPath } from '../../../src/tools/output.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { direct } from '../../support/deed.ts';
import { call } from '../../support/scripted-model.ts';
import { newStore, originOf, rowsOf, said } from '../../support/store-setting.ts';
import { waitUntil } from '../../support/wait-for.ts';

const look = 11 * 60_000;
const day = 86_400_000;
const keeping = { data: { backups: 0, keep_days: 30 }, agent: { mode: 'autonomous' } };

/** Lets some time pass again and again, until that is so. */
function inTime<Found>(it: DaemonSetting, found: () => Found) {
  const meanwhile = (): void => {
    for (const wait of [look, 20]) if (it.clock.waits.includes(wait)) it.clock.advance(wait);
  };
  return waitUntil(found, { meanwhile });
}

/** Lets it look so many times whether something is due. */
async function looks(it: DaemonSetting, times: number): Promise<void> {
  for (let left = times; left > 0; left -= 1) {
    await waitUntil(() => it.clock.waits.includes(look), {
      meanwhile: () => it.clock.waits.includes(20) && it.clock.advance(20),
    });
    it.clock.advance(look);
  }
}

const countOf = (it: DaemonSetting, table: string): number => it.rows(`SELECT 1 FROM ${table}`).length;

test('what is older than it is kept goes, with the files of results, and the newer and the audit stay', async () => {
  const it = await daemonSetting({ config: { ...keeping, approval: { policy: 'always_allow' } } });
  it.model.next([call('shell', { command: 'seq 1 60000' })], 'An old answer.');
  await it.channel.say('an old question');
  await it.channel.whenIdle();
  it.model.next('Another old answer.');
  await it.channel.say('another old question');
  await it.channel.whenIdle();
  const [{ id } = { id: '' }] = it.rows('SELECT id FROM calls');
  const result = join(it.workspace, keptPath(String(id)));
  expect(existsSync(result)).toBe(true);
  const audited = countOf(it, 'audit');

  it.clock.advance(40 * day);
  it.model.next('A new answer.');
  await it.channel.say('a new question');
  await it.channel.whenIdle();
  await inTime(it, () => it.rows(`SELECT 1 FROM turns`).length === 1 && countOf(it, 'inbox') === 1);

  expect(it.rows('SELECT text FROM inbox')).toEqual([{ text: 'a new question' }]);
  expect([countOf(it, 'calls'), countOf(it, 'approvals')]).toEqual([0, 0]);
  expect(it.rows('SELECT markdown FROM outbox').map(({ markdown }) => markdown)).toEqual(['A new answer.']);
  await waitUntil(() => !existsSync(result));
  expect(countOf(it, 'audit')).toBeGreaterThanOrEqual(audited);
  // All goes on: the next message, also after a restart, which compares what is newest.
  await it.restart();
  it.model.next('Still here.');
  await it.channel.say('and now?');
  await it.channel.whenIdle();
  expect(JSON.stringify(it.model.requests.at(-1))).not.toContain('old question');
  const sqlite = new Sqlite(join(it.folder, 'data/keyturn.db'), { readonly: true });
  // Both texts of the call are gone, and nothing is said to be changed.
  const count = new TextCount(createTextReader(sqlite));
  expect(proveAudit(sqlite, (row) => count.look(row)).type).toBe('whole');
  expect(count.proof()).toEqual({ matches: 0, differs: 0, gone: 2, undigested: 0, changed: [] });
  expect(sqlite.pragma('foreign_key_check')).toEqual([]);
  sqlite.close();
});

test('a call that still waits for a person stays whole, whatever its age', async () => {
  const it = await daemonSetting({
    config: { data: { backups: 0, keep_days: 1 }, approval: { timeout_secs: 7 * 86_400 } },
  });
  it.model.next([call('write_file', { path: 'a.txt', content: 'a' })], 'Written.');
  await it.channel.say('write it');
  const card = await it.channel.card();
  it.clock.advance(3 * day);
  await looks(it, 140);
  await it.channel.press(card);
  await it.channel.whenIdle();
  expect(existsSync(join(it.workspace, 'a.txt'))).toBe(true);
});

test('that a call was refused stays, without its content, so that no rule is offered for it', async () => {
  const it = await daemonSetting({ config: { data: { backups: 0, keep_days: 30 } } });
  const denied = await wanted(it, 'a.txt', cardWords.en.buttonDeny);
  await wanted(it, 'b.txt', cardWords.en.buttonApprove);
  const [{ id } = { id: '' }] = it.rows(`SELECT id FROM approvals WHERE state = 'denied'`);
  it.clock.advance(40 * day);
  await inTime(it, () => countOf(it, 'turns') === 0);
  const kept = it.rows('SELECT * FROM approvals');
  expect(kept).toEqual([
    expect.objectContaining({ id, state: 'denied', call_id: null, run_id: null, description: '', asked: null }),
  ]);
  expect(kept[0]?.ruled).not.toBeNull();
  expect(JSON.stringify(kept)).not.toContain('swordfish');
  // A press on the card that a person still sees finds nothing to decide.
  const receipt = await it.channel.press(denied);
  expect(receipt).toMatchObject({ notice: expect.any(String) });
  expect(it.rows('SELECT * FROM approvals')).toEqual(kept);
});

/** The model wants to write a file, and this button of the card is pressed. Resolves with what it does. */
async function wanted(it: DaemonSetting, path: string, label: string): Promise<string> {
  it.model.next([call('write_file', { path, content: 'swordfish' })], 'Well.');
  await it.channel.say(`write ${path}`);
  const card = await it.channel.card();
  const { actionId = '' } = card.buttons.flat().find((button) => button.label === label) ?? {};
  await it.channel.press(actionId);
  await it.channel.whenIdle();
  return actionId;
}

test('a message that is the only one stays as the newest, and a start finds it', async () => {
  const it = await daemonSetting({ config: keeping });
  it.model.next('Hello.');
  await it.channel.say('hello');
  await it.channel.whenIdle();
  it.clock.advance(40 * day);
  await inTime(it, () => countOf(it, 'turns') === 0);
  await looks(it, 140);
  expect(countOf(it, 'inbox')).toBe(1);
  await it.restart();
  it.model.next('Again.');
  await it.channel.say('hello again');
  await it.channel.whenIdle();
  expect(it.channel.screen.at(-1)?.text).toContain('Again.');
});

test('nothing goes unless the config says so', async () => {
  const it = await daemonSetting({});
  it.model.next('Hello.');
  await it.channel.say('hello');
  await it.channel.whenIdle();
  it.clock.advance(4000 * day);
  await looks(it, 140);
  expect(countOf(it, 'turns')).toBe(1);
});

test('a step looks at no more rows than it may, and the next process goes on where a killed one was', async () => {
  const { store, database, file } = await newStore();
  const count = 2 * stepRows + 50;
  for (let number = 0; number < count; number += 1)
    await store.inbox.accept(said(originOf('ada', direct('test')), `message ${number}`, 1));
  await database.write((sql) => sql.run('UPDATE conversations SET is_open = 0'));
  const left = () => rowsOf(file, 'SELECT seq FROM inbox').length;
  const retention = createRetentionStore(database);
  const sizes: number[] = [];
  let place: RetentionPlace | undefined = { kind: 'inbox', after: 0 };
  for (let step = 0; place !== undefined && step < 2; step += 1) {
    const before = left();
    const taken = await retention.step(2, place);
    sizes.push(before - left());
    place = taken.next;
  }
  expect(sizes).toEqual([stepRows, stepRows]);
  // A new process begins again with the first kind of rows.
  for (let next: RetentionPlace | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false)
    next = (await retention.step(2, next)).next;
  expect(left()).toBe(1);
});
