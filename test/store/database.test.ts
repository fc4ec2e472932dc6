import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { StorageTrouble } from '../../src/conversation/health/storage.ts';
import { type Language, languages, wordsIn } from '../../src/lib/words.ts';
import type { Sql } from '../../src/store/sql.ts';
import { createDatabase } from '../../src/store/sqlite-database.ts';
import { createStorageState } from '../../src/store/storage-state.ts';
import { storageWords } from '../../src/store/words.ts';
import { countSyncs } from '../support/count-syncs.ts';
import { newFolder } from '../support/new-folder.ts';

/** A database whose statements are written down as SQLite is given them. */
async function newDatabase() {
  const said: string[] = [];
  const file = join(await newFolder(), 'test.db');
  const sqlite = new Sqlite(file, { verbose: (sql) => said.push(String(sql)) });
  sqlite.pragma('journal_mode = WAL');
  sqlite.exec('CREATE TABLE list (word TEXT NOT NULL UNIQUE) STRICT');
  const database = createDatabase(sqlite);
  onTestFinished(() => database.close());
  said.length = 0;
  return {
    database,
    sqlite,
    add: (word: string | null) => async (sql: Sql) =>
      Number((await sql.one('INSERT INTO list VALUES (?) RETURNING rowid', word)).rowid),
    words: () =>
      sqlite
        .prepare<[], { word: string }>('SELECT word FROM list ORDER BY rowid')
        .all()
        .map(({ word }) => word),
    commits: () => said.filter((sql) => sql === 'COMMIT').length,
    said,
  };
}

test('writes of the same instant share one commit, in the order in which they were asked for; a later one has its own', async () => {
  const { database, add, words, commits } = await newDatabase();
  const results = await Promise.all(['a', 'b', 'c'].map((word) => database.write(add(word))));
  expect(results).toEqual([1, 2, 3]);
  expect(words()).toEqual(['a', 'b', 'c']);
  expect(commits()).toBe(1);
  await database.write(add('d'));
  expect(commits()).toBe(2);
});

test('a write that throws is seen by nobody, and takes nothing with it but itself', async () => {
  const { database, add, words } = await newDatabase();
  const halfDone = async (sql: Sql): Promise<never> => {
    await add('half')(sql);
    throw new Error('in the middle');
  };
  const seen = vi.fn();
  const outcomes = await Promise.allSettled([
    database.write(add('a')),
    database.write(halfDone, 'full', seen),
    database.write(add('a')),
    database.write(add(null)),
    database.write(add('b')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: new Error('in the middle') });
  expect(seen).not.toHaveBeenCalled();
  expect(words()).toEqual(['a', 'b']);
});

test('a write that begins in the same instant as a commit is not lost', async () => {
  const { database, add, words } = await newDatabase();
  const first = database.write(add('a'));
  const second = new Promise<number>((resolve) => setImmediate(() => resolve(database.write(add('b')))));
  await Promise.all([first.then(() => database.write(add('c'))), second]);
  expect(words().toSorted()).toEqual(['a', 'b', 'c']);
});

test.each(['by itself', 'in a transaction'] as const)(
  'what is read %s is as of before a write that was asked for behind it, in the midst of a commit, too',
  async (how) => {
    const { database, add } = await newDatabase();
    const statement = 'SELECT word FROM list';
    const read = async () =>
      how === 'by itself' ? database.sql.texts(statement) : database.read((sql) => sql.texts(statement));
    const reads: Promise<readonly string[]>[] = [];
    const written: Promise<unknown>[] = [];
    const askBehind = async (sql: Sql): Promise<void> => {
      await add('a')(sql);
      reads.push(read());
      written.push(database.writeNow(add('b')));
    };
    await database.writeNow(askBehind);
    expect(await Promise.all(reads)).toEqual([['a']]);
    await Promise.all(written);
    expect(await read()).toEqual(['a', 'b']);
  },
);

test.each(['by itself', 'in a transaction'] as const)(
  'what is read %s while a commit waits for other reads is as of before a write that was asked for behind it',
  async (how) => {
    const { database, add } = await newDatabase();
    const statement = 'SELECT word FROM list';
    const slow = database.read(async (sql) => [await sql.texts(statement), await sql.texts(statement)]);
    const first = database.writeNow(add('a'));
    const read = how === 'by itself' ? database.sql.texts(statement) : database.read((sql) => sql.texts(statement));
    const second = database.write(add('b'));
    expect(await read).toEqual(['a']);
    expect(await slow).toEqual([[], []]);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  },
);

test('a commit that fails is told to everybody who waits, and the next one works', async () => {
  const { database, sqlite, add, words } = await newDatabase();
  sqlite.pragma('max_page_count = 2');
  const large = 'x'.repeat(100_000);
  const outcomes = await Promise.allSettled([database.write(add('a')), database.write(add(large))]);
  expect(outcomes[1]?.status).toBe('rejected');
  expect(sqlite.inTransaction).toBe(false);
  sqlite.pragma('max_page_count = 10000');
  await database.write(add('b'));
  expect(words()).toEqual(outcomes[0]?.status === 'fulfilled' ? ['a', 'b'] : ['b']);
});

test('a write that is alone in its commit needs no savepoint, and leaves nothing behind if it throws', async () => {
  const { database, add, words, said } = await newDatabase();
  const told: unknown[] = [];
  database.sql.told.listen((event) => told.push(event));
  const halfDone = async (sql: Sql): Promise<never> => {
    sql.told.tell({ type: 'rights_changed', change: 'claimed', subject: 'test:ada', by: undefined });
    await add('half')(sql);
    throw new Error('in the middle');
  };
  await expect(database.write(halfDone)).rejects.toThrow('in the middle');
  await database.write(add('whole'));
  expect([words(), told]).toEqual([['whole'], []]);
  expect(said.filter((sql) => sql.includes('SAVEPOINT'))).toEqual([]);
});

test('a savepoint is made for each write of a commit but the first, without which the others begin again if it throws', async () => {
  const { database, add, words, said } = await newDatabase();
  const told: unknown[] = [];
  database.sql.told.listen((event) => told.push(event));
  const failing =
    (word: string) =>
    async (sql: Sql): Promise<never> => {
      sql.told.tell({ type: 'rights_changed', change: 'claimed', subject: 'test:ada', by: undefined });
      await add(word)(sql);
      throw new Error(word);
    };
  const outcomes = await Promise.allSettled([
    database.write(failing('one')),
    database.write(failing('two')),
    ...['a', 'b'].map((word) => database.write(add(word))),
    database.write(failing('three')),
  ]);
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : outcome.value))).toEqual([
    'one',
    'two',
    1,
    2,
    'three',
  ]);
  expect([words(), told]).toEqual([['a', 'b'], []]);
  const steps = said.filter((sql) => /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/.test(sql));
  expect(steps).toEqual([
    ...['BEGIN IMMEDIATE', 'ROLLBACK', 'BEGIN IMMEDIATE', 'ROLLBACK', 'BEGIN IMMEDIATE'],
    ...['SAVEPOINT one_write', 'RELEASE one_write', 'SAVEPOINT one_write', 'ROLLBACK TO one_write', 'COMMIT'],
  ]);
});

test('the disk is waited for once for the full writes of an instant, and not for relaxed ones', async () => {
  const { database, add } = await newDatabase();
  const syncs = countSyncs();
  await database.write(add('a'), 'relaxed');
  expect(syncs.count).toBe(0);
  await Promise.all(['b', 'c', 'd'].map((word) => database.write(add(word), word === 'b' ? 'relaxed' : 'full')));
  expect(syncs.count).toBe(1);
});

test('a full write can be seen before it is on disk, and resolves when it is', async () => {
  const { database, add, words } = await newDatabase();
  const syncs = countSyncs();
  const seen: unknown[] = [];
  const written = database.write(add('a'), 'full', (result) => seen.push(result, words(), syncs.count));
  expect(await written).toBe(1);
  expect(seen).toEqual([1, ['a'], 0]);
  expect(syncs.count).toBe(1);
});

test('while the disk does not answer the process writes on, and full writes resolve in their order once it does', async () => {
  const { database, add, words } = await newDatabase();
  const syncs = countSyncs();
  syncs.hold();
  const resolved: string[] = [];
  const write = async (word: string): Promise<void> => {
    await database.write(add(word));
    resolved.push(word);
  };
  const first = write('a');
  await database.write(add('b'), 'relaxed');
  const others = [write('c'), write('d')];
  await database.write(add('e'), 'relaxed');
  expect(words()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(resolved).toEqual([]);
  expect(syncs.count).toBe(1);
  syncs.release();
  await first;
  expect(resolved).toEqual(['a']);
  await Promise.all(others);
  expect(resolved).toEqual(['a', 'c', 'd']);
  expect(syncs.count).toBe(2);
});

test('a disk that fails rejects those who wait for it; what it may have lost is written again before it is believed', async () => {
  const { database, sqlite, add, said } = await newDatabase();
  const syncs = countSyncs();
  syncs.hold();
  const lost = database.write(add('a'));
  await database.write(add('b'), 'relaxed');
  const outcome = expect(lost).rejects.toThrow('the disk is broken');
  syncs.fail(new Error('the disk is broken'));
  syncs.release();
  await outcome;
  const size = statSync(`${sqlite.name}-wal`).size;
  await database.write(add('c'));
  expect(said.filter((sql) => sql.includes('wal_checkpoint(TRUNCATE)'))).toHaveLength(1);
  expect(statSync(`${sqlite.name}-wal`).size).toBeLessThan(size);
  await database.write(add('d'));
  expect(said.filter((sql) => sql.includes('wal_checkpoint(TRUNCATE)'))).toHaveLength(1);
});

test('the end waits for the disk, and for what was asked for meanwhile, which is written', async () => {
  const { database, sqlite, add, commits } = await newDatabase();
  const syncs = countSyncs();
  syncs.hold();
  const first = database.write(add('a'));
  await database.write(add('b'), 'relaxed');
  const closed = database.close();
  const second = database.write(add('c'));
  expect(sqlite.open).toBe(true);
  syncs.release();
  expect(await Promise.all([first, second])).toEqual([1, 3]);
  await closed;
  expect(sqlite.open).toBe(false);
  expect(commits()).toBe(2);
  await expect(database.write(add('d'))).rejects.toThrow();
  const again = new Sqlite(sqlite.name);
  expect(again.prepare('SELECT word FROM list').pluck().all()).toEqual(['a', 'b', 'c']);
  again.close();
});

test('the end waits for what is being read, and writes what is asked for meanwhile', async () => {
  const { database, sqlite, add } = await newDatabase();
  const count = (sql: Sql) => sql.number('SELECT count(*) FROM list');
  const reading = database.read(async (sql) => [await count(sql), await count(sql)]);
  const closed = database.close();
  expect(await Promise.all([reading, database.write(add('a'))])).toEqual([[0, 0], 1]);
  await closed;
  expect(sqlite.open).toBe(false);
});

test.each(['all', 'get', 'run'] as const)('damage that sql.%s comes upon ends the storing', async (asks) => {
  const file = join(await newFolder(), 'test.db');
  const sqlite = new Sqlite(file);
  sqlite.exec('CREATE TABLE list (word TEXT); CREATE TABLE other (word TEXT)');
  sqlite.close();
  const content = readFileSync(file);
  writeFileSync(file, content.fill(0xa5, content.length - 4096));
  const database = createDatabase(new Sqlite(file));
  onTestFinished(() => database.close());
  await database.write((sql) => sql.run('INSERT INTO list VALUES (?)', 'a'));
  expect(database.state.trouble).toBeUndefined();
  const statement = asks === 'run' ? 'DELETE FROM other' : 'SELECT * FROM other';
  expect(() => database.sql[asks](statement)).toThrow('malformed');
  const refused = database.write((sql) => sql.run('INSERT INTO list VALUES (?)', 'b'));
  const malformed = 'database disk image is malformed';
  const told = storageWords.en.damaged({ file, damage: malformed, backup: undefined });
  await expect(refused).rejects.toMatchObject({ name: 'StoreError', message: told });
  expect(saidIn('zh', database.state.trouble)).toEqual([
    storageWords.zh.brief('damaged'),
    storageWords.zh.damaged({ file, damage: malformed, backup: undefined }),
  ]);
});

test.each([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR_WRITE', 'fullOrFailing'],
  ['EFBIG', 'fullOrFailing'],
  ['EIO', 'failing'],
  ['SQLITE_IOERR_FSYNC', 'failing'],
  ['SQLITE_READONLY_DBMOVED', 'readOnly'],
  ['EROFS', 'readOnly'],
] as const)('a write that fails with %s is told in each language as the cause %s', (code, cause) => {
  const state = createStorageState();
  const error = Object.assign(new Error('no'), { code });
  state.failed(error);
  expect(state.isAtFault(error)).toBe(true);
  for (const language of languages) {
    const say = storageWords[language];
    expect(saidIn(language, state.trouble)).toEqual([say.brief(cause), say.cannotStore({ cause, reason: 'no' })]);
    expect(state.briefOf(error)?.(language)).toBe(say.brief(cause));
  }
});

test('a write that fails for another cause is no trouble of the storage', () => {
  const state = createStorageState();
  const error = Object.assign(new Error('no'), { code: 'SQLITE_CONSTRAINT' });
  state.failed(error);
  expect([state.trouble, state.isAtFault(error), state.briefOf(error)]).toEqual([undefined, false, undefined]);
});

test('the watcher of the storage is told of each change once, and the end of a lock ends no other trouble', () => {
  const state = createStorageState();
  const told: (StorageTrouble | undefined)[] = [];
  state.watch((trouble) => told.push(trouble));
  const fail = (code: string): void => state.failed(Object.assign(new Error('no'), { code }));
  fail('SQLITE_BUSY');
  fail('SQLITE_BUSY');
  fail('ENOSPC');
  state.unlocked();
  state.stored();
  state.stored();
  expect(told.map((trouble) => trouble && wordsIn('en', trouble.brief))).toEqual([
    storageWords.en.brief('locked'),
    storageWords.en.brief('full'),
    undefined,
  ]);
});

function saidIn(language: Language, trouble: StorageTrouble | undefined): readonly string[] {
  return trouble === undefined ? [] : [trouble.brief, trouble.words].map((words) => wordsIn(language, words));
}

test('a database that is lost stays so: the first cause is told', () => {
  const state = createStorageState();
  for (const brief of ['gone', 'damaged']) state.lose({ brief, words: brief });
  state.stored();
  expect(state.trouble?.brief).toBe('gone');
});

test('what is read beside a step sees all that it has written, or nothing', async () => {
  const { database, add } = await newDatabase();
  const count = (sql: Sql) => sql.number('SELECT count(*) FROM list');
  const step = database.writeNow(async (sql) => {
    await add('a')(sql);
    await add('b')(sql);
  });
  expect(
    await Promise.all([count(database.sql), database.read(count), database.sql.has('SELECT 1 FROM list')]),
  ).toEqual([2, 2, true]);
  await step;
});

test('what is read in one transaction is of one commit, and a commit waits until all such reads are over', async () => {
  const { database, add, words, said } = await newDatabase();
  const count = (sql: Sql) => sql.number('SELECT count(*) FROM list');
  const written: Promise<number>[] = [];
  const twice = async (sql: Sql) => {
    const before = await count(sql);
    written.push(database.writeNow(add(`after ${written.length}`)));
    return [before, await count(sql)];
  };
  expect(await Promise.all([database.read(twice), database.read(twice)])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  await Promise.all(written);
  expect(words()).toEqual(['after 0', 'after 1']);
  expect(said.filter((text) => /^(?:BEGIN|END|COMMIT)/.test(text))).toEqual([
    ...['BEGIN', 'END'],
    ...['BEGIN IMMEDIATE', 'COMMIT', 'BEGIN IMMEDIATE', 'COMMIT'],
  ]);
});

test('a read that throws leaves no transaction behind', async () => {
  const { database, add, words } = await newDatabase();
  const failing = database.read((sql) => sql.all('SELECT * FROM nowhere'));
  await expect(failing).rejects.toThrow('no such table: nowhere');
  await database.write(add('a'));
  expect(words()).toEqual(['a']);
});

test.each(['write', 'read'] as const)(
  'a step to %s that waits for anything but the database ends the process, which would stand for ever',
  async (how) => {
    const file = join(await newFolder(), 'test.db');
    const program = `import Sqlite from 'better-sqlite3';
    import { createDatabase } from ${JSON.stringify(new URL('../../src/store/sqlite-database.ts', import.meta.url).href)};
    const database = createDatabase(new Sqlite(${JSON.stringify(file)}));
    void database.${how}(() => new Promise((resolve) => setTimeout(resolve, 600_000)));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(child.exitCode).toBe(1);
    expect(said).toContain('a step of the store waits for something that is not the database');
  },
);

test('a fault behind a commit ends the process as any other that is not caught, though it is one of a promise', async () => {
  const file = join(await newFolder(), 'test.db');
  const program = `import Sqlite from 'better-sqlite3';
    import { createDatabase } from ${JSON.stringify(new URL('../../src/store/sqlite-database.ts', import.meta.url).href)};
    process.on('unhandledRejection', (error) => console.error('only logged', error));
    const database = createDatabase(new Sqlite(${JSON.stringify(file)}));
    database.state.watch(() => { throw new Error('a fault of ours'); });
    void database.write(() => { throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' }); }).catch(() => {});
    setTimeout(() => {}, 5_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect(child.exitCode).toBe(1);
  expect(said).toContain('a fault of ours');
});

test('a transaction that nobody ends is a fault where its end is waited for, and keeps no other work from its turn', async () => {
  const { database, sqlite } = await newDatabase();
  sqlite.exec('BEGIN');
  await expect(database.look()).rejects.toThrow('nobody ends');
  sqlite.exec('END');
  await database.look();
});
