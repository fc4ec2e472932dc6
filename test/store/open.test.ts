import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownVersion } from '../../src/lib/own-version.ts';
import { openStore } from '../../src/store/index.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openDatabase } from '../../src/store/open.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { storeWords } from '../../src/store/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { rowsOf, tamperWith } from '../support/store-setting.ts';

const steps = [
  'CREATE TABLE list (word TEXT NOT NULL)',
  'ALTER TABLE list ADD COLUMN length INTEGER NOT NULL DEFAULT 0; UPDATE list SET length = length(word)',
  'CREATE INDEX list_by_length ON list (length)',
].map((core) => ({ core }));

async function atVersion(version: number): Promise<string> {
  const file = join(await newFolder(), 'keyturn.db');
  const database = openDatabase(file, [], steps.slice(0, version));
  await database.write((sql) => sql.run('INSERT INTO list (word) VALUES (?)', 'key'));
  await database.close();
  return file;
}

function versionOf(file: string): unknown {
  return rowsOf(file, 'PRAGMA user_version')[0]?.user_version;
}

function attempt(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was opened');
}

describe('the steps of the schema', () => {
  test.each([1, 2, 3])('lead from version %i to the newest, each after a backup that can be used', async (version) => {
    const file = await atVersion(version);
    await openDatabase(file, [], steps).close();
    expect(versionOf(file)).toBe(3);
    expect(rowsOf(file, 'SELECT word FROM list')).toEqual([{ word: 'key' }]);
    expect(rowsOf(file, `SELECT name FROM sqlite_schema WHERE name = 'list_by_length'`)).toHaveLength(1);
    for (let before = version; before < 3; before++) {
      const backup = `${file}.v${before}.bak`;
      expect(versionOf(backup)).toBe(before);
      expect(rowsOf(backup, 'SELECT word FROM list')).toEqual([{ word: 'key' }]);
      expect(statSync(backup).mode & 0o777).toBe(0o600);
      await openDatabase(backup, [], steps).close();
      expect(versionOf(backup)).toBe(3);
    }
    expect(existsSync(`${file}.v3.bak`)).toBe(false);
  });

  test('a new file needs no backup, and only its owner reads it', async () => {
    const file = join(await newFolder(), 'folder', 'keyturn.db');
    await openStore(file).close();
    expect(versionOf(file)).toBe(migrations.length);
    expect(existsSync(`${file}.v1.bak`)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a new file gets all of them in one transaction, since each waits for the disk', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    expect(
      attempt(() => openDatabase(file, [], [...steps, { core: 'INSERT INTO nothing VALUES (1)' }])),
    ).toBeInstanceOf(StoreError);
    expect(versionOf(file)).toBe(0);
    expect(rowsOf(file, 'SELECT name FROM sqlite_schema')).toEqual([]);
    await openDatabase(file, [], steps).close();
    expect(rowsOf(file, 'SELECT schema FROM written_by')).toEqual([{ schema: 1 }, { schema: 2 }, { schema: 3 }]);
  });

  test('a row that belongs to a row that is not there is refused', async () => {
    const database = openDatabase(join(await newFolder(), 'keyturn.db'));
    onTestFinished(() => database.close());
    const orphan = `INSERT INTO attachments (inbox_key, position, kind, handle, state) VALUES ('nobody', 0, 'file', 'h', 'pending')`;
    await expect(database.write((sql) => sql.run(orphan))).rejects.toThrow('FOREIGN KEY');
  });

  test('one that fails leaves the version before it', async () => {
    const file = await atVersion(1);
    const broken = [...steps.slice(0, 1), { core: 'CREATE TABLE other (word TEXT); INSERT INTO nothing VALUES (1)' }];
    expect(attempt(() => openDatabase(file, [], broken))).toBeInstanceOf(StoreError);
    expect(versionOf(file)).toBe(1);
    expect(rowsOf(file, `SELECT name FROM sqlite_schema WHERE name IN ('list', 'other')`)).toEqual([{ name: 'list' }]);
    expect(rowsOf(file, 'SELECT schema FROM written_by')).toEqual([{ schema: 1 }]);
  });
});

describe('the tables of a feature', () => {
  const first = 'CREATE TABLE songs (title TEXT NOT NULL)';
  const second = `ALTER TABLE songs ADD COLUMN singer TEXT NOT NULL DEFAULT ''`;
  const singing = (...features: readonly string[]) => [{ name: 'singing', tables: { steps: features } }];
  const other = { name: 'dancing', tables: { steps: ['CREATE TABLE dances (name TEXT)'] } };
  const stepsIn = (file: string) => rowsOf(file, 'SELECT feature, step FROM feature_steps ORDER BY feature, step');
  const songs = (file: string) => rowsOf(file, 'SELECT * FROM songs');

  async function withSong(...features: readonly string[]): Promise<string> {
    const file = join(await newFolder(), 'keyturn.db');
    const database = openDatabase(file, singing(...features));
    await database.write((sql) => sql.run(`INSERT INTO songs (title) VALUES ('Greensleeves')`));
    await database.close();
    return file;
  }

  test('are made with a new database, and each step is taken once', async () => {
    const file = await withSong(first, second);
    await openDatabase(file, singing(first, second)).close();
    expect(stepsIn(file)).toEqual([
      { feature: 'singing', step: 1 },
      { feature: 'singing', step: 2 },
    ]);
    expect(songs(file)).toEqual([{ title: 'Greensleeves', singer: '' }]);
  });

  test('are made in an old database when the feature comes, and need no backup', async () => {
    const file = await withSong(first);
    await openDatabase(file, [...singing(first), other]).close();
    expect(rowsOf(file, 'SELECT * FROM dances')).toEqual([]);
    expect(stepsIn(file)).toHaveLength(2);
    expect(readdirSync(join(file, '..')).filter((name) => name.endsWith('.bak'))).toEqual([]);
  });

  test('are copied before a further step, to a backup that can be used and is named where one is needed', async () => {
    const file = await withSong(first);
    await openDatabase(file, singing(first, second)).close();
    const name = `keyturn.db.v${migrations.length}.singing1.bak`;
    const backup = join(file, '..', name);
    expect(songs(backup)).toEqual([{ title: 'Greensleeves' }]);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    await openDatabase(backup, singing(first, second)).close();
    expect(songs(backup)).toEqual(songs(file));
    writeFileSync(file, 'no database');
    const damage = 'file is not a database';
    expect(attempt(() => openStore(file)).message).toBe(storeWords.en.damaged({ file, damage, backup: name }));
    const newest = `keyturn.db.v${migrations.length}.bak`;
    await writeFile(join(file, '..', newest), '');
    expect(attempt(() => openStore(file)).message).toBe(storeWords.en.damaged({ file, damage, backup: newest }));
  });

  test('are as before if one of its steps fails, with their number', async () => {
    const file = await withSong(first);
    const failing = singing(first, second, 'INSERT INTO nothing VALUES (1)');
    expect(attempt(() => openDatabase(file, failing))).toBeInstanceOf(StoreError);
    expect(songs(file)).toEqual([{ title: 'Greensleeves' }]);
    expect(stepsIn(file)).toHaveLength(1);
  });

  test('stay as they are while the feature is left out, and are there when it comes back', async () => {
    const file = await withSong(first);
    await openDatabase(file, [other]).close();
    expect(songs(file)).toEqual([{ title: 'Greensleeves' }]);
    await openDatabase(file, singing(first, second)).close();
    expect(songs(file)).toEqual([{ title: 'Greensleeves', singer: '' }]);
  });

  test('are refused if a newer Keyturn wrote them, with its version, and nothing is changed', async () => {
    const file = await withSong(first, second);
    tamperWith(file, `UPDATE feature_steps SET version = '9.0.1' WHERE step = 2`);
    const { message } = attempt(() => openDatabase(file, [other, ...singing(first)]));
    const newer = { file, version: '9.0.1', feature: 'singing', step: 2, own: ownVersion(), known: 1 };
    expect(message).toBe(storeWords.en.newerFeature(newer));
    expect(stepsIn(file)).toHaveLength(2);
  });

  test('that were edited in place are called intact', async () => {
    const file = await withSong(first);
    tamperWith(file, 'ALTER TABLE songs RENAME COLUMN title TO name');
    const step = 'UPDATE songs SET title = upper(title)';
    expect(attempt(() => openDatabase(file, singing(first, step))).message).toBe(
      storeWords.en.otherTables({ file, reason: 'no such column: title' }),
    );
    expect(rowsOf(file, 'SELECT name FROM songs')).toEqual([{ name: 'Greensleeves' }]);
  });
});

describe('a file that can not be used', () => {
  test('because a newer Keyturn wrote it is refused with its version, and left as it is', async () => {
    const file = await atVersion(3);
    const error = attempt(() => openDatabase(file, [], steps.slice(0, 2)));
    expect(error).toBeInstanceOf(StoreError);
    const own = ownVersion();
    expect(error.message).toBe(storeWords.en.newer({ file, version: own, step: 3, own, known: 2 }));
    expect(versionOf(file)).toBe(3);
  });

  test('because a newer Keyturn wrote it that left no word of itself is refused with the version before it', async () => {
    const file = await atVersion(3);
    tamperWith(file, `UPDATE written_by SET version = '0.3.1' WHERE schema = 3; PRAGMA user_version = 5`);
    const { message } = attempt(() => openDatabase(file, [], steps));
    const newer = { file, version: '0.3.1', step: 5, own: ownVersion(), known: 3 };
    expect(message).toBe(storeWords.en.newerThan(newer));
  });

  test('because another program numbers its tables, too, is not copied before it is refused', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    tamperWith(file, 'CREATE TABLE recipes (name TEXT); PRAGMA user_version = 1');
    expect(attempt(() => openStore(file)).message).toBe(storeWords.en.otherTables({ file, reason: undefined }));
    expect(existsSync(`${file}.v1.bak`)).toBe(false);
  });

  test('because another program wrote it is refused, and left as it is', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    tamperWith(file, 'CREATE TABLE recipes (name TEXT)');
    const before = readFileSync(file);
    const own = ownVersion();
    for (const [userVersion, words] of [
      [0, storeWords.en.ofAnotherProgram({ file })],
      [77, storeWords.en.newerUnknown({ file, step: 77, own, known: migrations.length })],
    ] as const) {
      tamperWith(file, `PRAGMA user_version = ${userVersion}`);
      const error = attempt(() => openStore(file));
      expect(error).toBeInstanceOf(StoreError);
      expect(error.message).toBe(words);
    }
    expect(rowsOf(file, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'recipes' }]);
    expect(statSync(file).size).toBe(before.length);
  });

  test('because its schema was edited in place, before there were numbers, is called intact', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    await openStore(file).close();
    tamperWith(file, 'ALTER TABLE approvals DROP COLUMN question; DROP TABLE written_by');
    copyFileSync(file, `${file}.before`);
    const { message } = attempt(() => openStore(file));
    expect(message).toBe(storeWords.en.otherTables({ file, reason: undefined }));
    expect(readFileSync(file).equals(readFileSync(`${file}.before`))).toBe(true);
  });

  test.each([
    [
      'no database',
      'file is not a database',
      (file: string) => writeFileSync(file, 'this is no database at all'.repeat(40)),
    ],
    ['cut off', 'database disk image is malformed', (file: string) => truncateSync(file, 3000)],
    [
      'overwritten behind its first page',
      'file is not a database',
      (file: string) => {
        const { size } = statSync(file);
        tamperWith(file, 'PRAGMA wal_checkpoint(TRUNCATE)');
        writeFileSync(file, Buffer.alloc(size - 4096, 0xa5), { flag: 'r+', flush: true });
      },
    ],
  ])('because it is %s is refused with words that say what to do', async (_what, damage, harm) => {
    const file = join(await newFolder(), 'keyturn.db');
    await openStore(file).close();
    harm(file);
    const error = attempt(() => openStore(file));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toBe(storeWords.en.damaged({ file, damage, backup: undefined }));
    await writeFile(`${file}.v1.bak`, '');
    const { message } = attempt(() => openStore(file));
    expect(message).toBe(storeWords.en.damaged({ file, damage, backup: 'keyturn.db.v1.bak' }));
  });

  test.each(['', '-wal', '-shm'])('because keyturn.db%s is a folder is refused, with words for it', async (end) => {
    const file = join(await newFolder(), 'keyturn.db');
    await openStore(file).close();
    if (end === '') renameSync(file, `${file}.moved`);
    mkdirSync(file + end);
    const error = attempt(() => openStore(file));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toBe(storeWords.en.folderThere({ file: `${file}${end}` }));
  });

  test('because it is a pipe is refused, and not waited for', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    execFileSync('mkfifo', [file]);
    expect(attempt(() => openStore(file)).message).toBe(storeWords.en.noFileThere({ file }));
  });
});
