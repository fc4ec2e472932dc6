import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addBy } from '../../src/store/audit.ts';
import { firstDamage } from '../../src/store/examine.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { readNumbers } from '../../src/store/numbers.ts';
import { openDatabase } from '../../src/store/open.ts';
import { DataLockedError, StoreError } from '../../src/store/store-error.ts';
import { storageWords, storeWords } from '../../src/store/words.ts';
import { countSyncs } from '../support/count-syncs.ts';
import { newFolder } from '../support/new-folder.ts';
import { SeededRandom } from '../support/random.ts';
import { damage, originOf, rowsOf, said } from '../support/store-setting.ts';

const ada = { channel: 'test', chatId: 'ada', kind: 'direct' } as const;

function open(file: string): Store {
  const store = openStore(file);
  onTestFinished(() => store.close());
  return store;
}

async function say(store: Store, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await store.inbox.accept(said(originOf('ada', ada), text));
}

const long = 'so many words '.repeat(400);

/** What a process that is killed now leaves behind, in a folder of its own: all but what SQLite makes again by itself. */
async function left(file: string): Promise<string> {
  const copy = join(await newFolder(), 'keyturn.db');
  for (const end of ['', '-wal', '.numbers']) {
    if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
  }
  return copy;
}

/** A database with messages, of a process that was killed. */
async function killed(): Promise<string> {
  const file = await closed('one', 'two');
  await say(open(file), 'three', long, 'five');
  return left(file);
}

async function closed(...texts: readonly string[]): Promise<string> {
  const file = join(await newFolder(), 'keyturn.db');
  await goOn(file, ...texts);
  return file;
}

/** Opens it, says more, and closes it. */
async function goOn(file: string, ...texts: readonly string[]): Promise<void> {
  const store = openStore(file);
  await say(store, ...texts);
  await store.close();
}

/** A copy of a closed database, and what is left of a later process that was killed, which has said the newest text. */
async function outgrown(later: readonly string[], newest: string) {
  const file = await closed('one', 'two');
  const backup = `${file}.backup`;
  copyFileSync(file, backup);
  await goOn(file, ...later);
  await say(open(file), newest);
  return { backup, crashed: await left(file) };
}

function textsIn(file: string): readonly unknown[] {
  return rowsOf(file, 'SELECT text FROM inbox ORDER BY seq').map(({ text }) => text);
}

/** The words with which it is refused, after which nothing is other than it was. */
function refusal(file: string): string {
  const before = contentOf(file);
  try {
    void openStore(file).close();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(contentOf(file)).toEqual(before);
    return error.message;
  }
  throw new Error('it was opened');
}

/** An empty log is none. */
function contentOf(file: string): readonly string[] {
  return ['', '-wal', '.numbers'].map((end) => {
    const content = existsSync(`${file}${end}`) ? readFileSync(`${file}${end}`) : '';
    return createHash('sha256').update(content).digest('hex');
  });
}

describe('a start refuses, says why, and says how to go on, where', () => {
  test.each([
    ['was deleted', false, (file: string) => rmSync(file)],
    ['was emptied', true, (file: string) => truncateSync(file)],
  ])('the database %s', async (_what, isEmpty, harm) => {
    const file = await closed('one', 'two');
    harm(file);
    expect(refusal(file)).toBe(storeWords.en.gone({ file, backup: undefined, isEmpty, message: 2 }));
    rmSync(`${file}.numbers`);
    await openStore(file).close();
    expect(textsIn(file)).toEqual([]);
  });

  test.each(['files', 'device-files', 'config-history', 'keyturn.db-wal', 'keyturn.db.v9.bak', 'keyturn.db.rescued'])(
    'there is no database, and %s belonged to one',
    async (left) => {
      const folder = await newFolder();
      const path = join(folder, left);
      if (!left.startsWith('keyturn')) mkdirSync(path);
      else writeFileSync(path, 'pages');
      const file = join(folder, 'keyturn.db');
      const backup = left.endsWith('.bak') ? left : undefined;
      expect(refusal(file)).toBe(storeWords.en.goneBeside({ file, backup, isEmpty: false, left: [left] }));
      expect(existsSync(file)).toBe(false);
    },
  );

  test.each([
    ['is missing', 2, (log: string) => rmSync(log)],
    ['is torn', 4, (log: string) => truncateSync(log, statSync(log).size - 5000)],
    [
      'has a broken frame',
      2,
      (log: string) => writeFileSync(log, Buffer.alloc(100, 0xa5), { flag: 'r+', flush: true }),
    ],
  ])('the write-ahead log %s, and with it the newest messages', async (_what, found, harm) => {
    const file = await killed();
    harm(`${file}-wal`);
    expect(refusal(file)).toBe(storeWords.en.lacksMessages({ file, found, message: 5 }));
    rmSync(`${file}.numbers`);
    await openStore(file).close();
    expect(textsIn(file)).toContain('two');
  });

  test('an older copy was put in its place', async () => {
    const file = await closed('one', 'two');
    const backup = `${file}.backup`;
    copyFileSync(file, backup);
    await goOn(file, 'three');
    copyFileSync(backup, file);
    expect(refusal(file)).toBe(storeWords.en.lacksMessages({ file, found: 2, message: 3 }));
    rmSync(`${file}.numbers`);
    await openStore(file).close();
    expect(textsIn(file)).toEqual(['one', 'two']);
  });

  test('an older copy was put beside the write-ahead log of a newer one', async () => {
    const { backup, crashed } = await outgrown([long, long], 'newest');
    copyFileSync(backup, crashed);
    expect(refusal(crashed)).toBe(storeWords.en.older({ file: crashed }));
    for (const end of ['-wal', '.numbers']) rmSync(`${crashed}${end}`);
    await openStore(crashed).close();
    expect(textsIn(crashed)).toEqual(['one', 'two']);
    expect(rowsOf(crashed, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  test('an older copy of the same size was put beside the write-ahead log of a newer one', async () => {
    const { backup, crashed } = await outgrown(['three'], 'four');
    expect(statSync(backup).size).toBe(statSync(crashed).size);
    copyFileSync(backup, crashed);
    expect(refusal(crashed)).toBe(storeWords.en.older({ file: crashed }));
  });

  test('an older copy lacks no message, but entries of the audit', async () => {
    const file = await closed('one');
    const backup = `${file}.backup`;
    copyFileSync(file, backup);
    const database = openDatabase(file);
    const origin = { conversationId: 'test:ada', principal: 'test:ada' };
    await database.write((sql) => addBy(sql, 'person-paired', origin, 1));
    await database.close();
    copyFileSync(backup, file);
    expect(refusal(file)).toBe(storeWords.en.lacksAudit({ file, found: 0, deed: 1 }));
  });

  test('the write-ahead log is missing that has been copied in part', async () => {
    const file = await killed();
    const log = `${file}-wal`;
    const whole = readFileSync(log);
    // All but a page that the log holds.
    damage(file, 'inbox');
    const found = { file, damage: firstDamage(file) ?? '', backup: undefined };
    expect(refusal(file)).toBe(storeWords.en.damagedWithoutLog(found));
    writeFileSync(log, whole);
    await openStore(file).close();
    expect(textsIn(file)).toContain('five');
  });

  test('one of an older schema was put in its place', async () => {
    const file = await closed('one', 'two');
    writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, 'databases/1.db.gz'))));
    expect(refusal(file)).toBe(storeWords.en.lacksSchema({ file, message: 2 }));
  });

  test('another database was put in its place', async () => {
    const [file, other] = [await closed('one'), await closed('another', 'life', 'and', 'more')];
    copyFileSync(other, file);
    expect(refusal(file)).toBe(storeWords.en.exchanged({ file, message: 1 }));
    renameSync(`${other}.numbers`, `${file}.numbers`);
    await openStore(file).close();
  });

  test.each([
    ['was killed', 'damagedWithoutLog', killed],
    ['has closed it', 'damaged', () => closed('one', 'two')],
  ] as const)('the last process %s, and pages are damaged that nobody reads at a start', async (_what, key, made) => {
    const file = await made();
    damage(file, 'grants');
    const found = { file, damage: firstDamage(file) ?? '', backup: undefined };
    expect(refusal(file)).toBe(storeWords.en[key](found));
  });

  test('somebody else works with it, whatever became of the lock beside it', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    open(file);
    expect(() => openStore(file)).toThrow(DataLockedError);
  });
});

describe('a start is no false alarm', () => {
  test('after a kill at any instant', async () => {
    const random = new SeededRandom(7);
    const file = join(await newFolder(), 'keyturn.db');
    let store = open(file);
    for (let kill = 0; kill < 30; kill += 1) {
      const texts = Array.from({ length: random.integer(0, 3) }, () => (random.chance(0.2) ? long : 'words'));
      const saying = say(store, ...texts);
      if (random.chance(0.5)) await saying;
      const crashed = await left(file);
      // The numbers may have been cut off while they were written.
      const numbers = `${crashed}.numbers`;
      if (random.chance(0.3) && existsSync(numbers)) writeFileSync(numbers, cutNewest(readFileSync(numbers)));
      await openStore(crashed).close();
      expect(rowsOf(crashed, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      await saying;
      if (random.chance(0.3)) {
        await store.close();
        await openStore(await left(file)).close();
        store = open(file);
      }
    }
  });

  test('after a power failure, which leaves what was on disk, and of the numbers the newest', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    const store = open(file);
    await say(store, 'one');
    const syncs = countSyncs();
    const failed = await left(file);
    syncs.hold();
    const saying = say(store, 'two');
    await store.lifetime.began(1, undefined);
    copyFileSync(`${file}.numbers`, `${failed}.numbers`);
    await openStore(failed).close();
    expect(textsIn(failed)).toEqual(['one']);
    syncs.release();
    await saying;
    expect(readNumbers(file)?.message).toBe(2);
  });

  test('where there were no numbers yet, and where none can be read', async () => {
    const file = await closed('one');
    writeFileSync(`${file}.numbers`, 'nothing');
    await openStore(file).close();
    rmSync(`${file}.numbers`);
    await openStore(file).close();
    expect(readNumbers(file)).toMatchObject({ message: 1, isClosed: true });
  });
});

test('a write-ahead log that is cut off while it is written to ends the storing with the next write', async () => {
  const file = join(await newFolder(), 'keyturn.db');
  const store = open(file);
  await say(store, 'one', 'two');
  truncateSync(`${file}-wal`, 1000);
  await expect(say(store, 'three')).rejects.toMatchObject({
    saidIn: expect.any(Function),
    message: storageWords.en.rescued({ file, loss: 'logCut' }),
  });
  expect(store.state.isLost).toBe(true);
});

/** Its later half is what it was before the newest write. */
function cutNewest(content: Buffer): Buffer {
  const serials = [0, 256].map((start) =>
    Number(/"serial":(\d+)/.exec(content.toString('latin1', start, start + 256))?.[1] ?? 0),
  );
  const newest = Math.max(...serials) === serials[0] ? 0 : 256;
  return Buffer.from(content.map((byte, index) => (index >= newest + 20 && index < newest + 256 ? byte ^ 1 : byte)));
}

test('the numbers follow what was copied out of the log, while it is worked with', async () => {
  const file = join(await newFolder(), 'keyturn.db');
  const store = open(file);
  await say(store, 'x'.repeat(5_000_000));
  await expect.poll(() => readNumbers(file)?.bytes, { timeout: 60_000 }).toBeGreaterThan(4_000_000);
  expect(readNumbers(file)?.bytes).toBe(statSync(file).size);
});

test('the record has the number that earlier versions refuse to start without', async () => {
  const file = join(await newFolder(), 'keyturn.db');
  await open(file).close();
  expect(readFileSync(`${file}.numbers`, 'latin1')).toMatch(/"schema":\d/);
});
