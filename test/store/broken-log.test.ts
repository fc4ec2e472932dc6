import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { wordsIn } from '../../src/lib/words.ts';
import { storeOf } from '../../src/store/index.ts';
import { openDatabase } from '../../src/store/open.ts';
import { storageWords } from '../../src/store/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { originOf, rowsOf, said } from '../support/store-setting.ts';

const ada = { channel: 'test', chatId: 'ada', kind: 'direct' } as const;
const pageSize = 4096;

/** A database that was opened before, so that an older log of it is known, and whose log has some thirty pages. */
async function written() {
  const file = join(await newFolder(), 'keyturn.db');
  const first = open(file);
  await first.say('of an earlier day', 'x'.repeat(400_000));
  copyFileSync(`${file}-wal`, `${file}.older-log`);
  await first.database.close();
  const now = open(file);
  await now.say('one', 'two', 'x'.repeat(30_000), 'three');
  return { ...now, file, log: `${file}-wal`, before: readFileSync(file) };
}

function open(file: string) {
  const database = openDatabase(file);
  const { inbox } = storeOf(database, dirname(file));
  onTestFinished(() => database.close());
  const say = async (...texts: readonly string[]): Promise<void> => {
    for (const text of texts) await inbox.accept(said(originOf('ada', ada), text));
  };
  /** Something big enough that the log is to be copied. */
  const sayMuch = (): Promise<void> => say('x'.repeat(1100 * pageSize));
  return { database, say, sayMuch };
}

type Setting = Awaited<ReturnType<typeof written>>;
const sizeOf = (log: string): number => statSync(log).size;

function zero(log: string, from: number, size: number): void {
  writeFileSync(log, readFileSync(log).fill(0, from, from + size), { flag: 'r+' });
}

const touches: Readonly<Record<string, (setting: Setting) => void>> = {
  'cut off to nothing': ({ log }) => truncateSync(log),
  'cut off behind its header': ({ log }) => truncateSync(log, 32),
  'cut off in the middle': ({ log }) => truncateSync(log, Math.floor(sizeOf(log) / 2)),
  'cut off by its last bytes': ({ log }) => truncateSync(log, sizeOf(log) - 100),
  'zeroed in its header': ({ log }) => zero(log, 0, 32),
  'zeroed in the middle of a page': ({ log }) => zero(log, 32 + 2 * (24 + pageSize) + 2000, 300),
  'zeroed in the header of a page': ({ log }) => zero(log, 32 + 2 * (24 + pageSize) + 8, 8),
  'overwritten by an older one': ({ file, log }) => copyFileSync(`${file}.older-log`, log),
  'replaced by an older one': ({ file, log }) => renameSync(`${file}.older-log`, log),
};

/** What has been promised is in the copy that was saved, or the next start says that it is missing. */
async function expectNothingGarbled({ file, database, before }: Setting, promised: number): Promise<void> {
  await database.close();
  expect(readFileSync(file).equals(before)).toBe(true);
  const rescued = `${file}.rescued`;
  if (existsSync(rescued)) {
    expect(rowsOf(rescued, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(rowsOf(rescued, 'SELECT max(seq) AS seq FROM inbox')).toEqual([{ seq: promised }]);
  }
  expect(existsSync(`${file}.rescuing`)).toBe(false);
  expect(() => openDatabase(file)).toThrow(`and number ${promised} had been stored`);
}

const cases = Object.entries(touches).flatMap(([what, touch]) =>
  (['within a commit', 'between commits'] as const).map((when) => ({ what, when, touch })),
);

/** Whether it is noticed before the next commit, or within this one. */
const atOnce = /cut off (?:to|behind|in)|by an older/;

test.each(cases)('a log that is $what $when is noticed by the next look', async ({ what, when, touch }) => {
  const setting = await written();
  const { database, say } = setting;
  if (when === 'between commits') touch(setting);
  else {
    const promise = database.write(async (sql) => {
      await sql.run(`INSERT INTO participants (conversation_id, principal, name) VALUES ('a', 'b', 'c')`);
      touch(setting);
    });
    if (atOnce.test(what) && !what.startsWith('replaced'))
      await expect(promise).rejects.toMatchObject({ name: 'StoreError' });
    else await promise;
  }
  await database.look();
  expect(database.state.isLost).toBe(true);
  const loss = when.includes('replaced') || what.startsWith('replaced') ? 'logMoved' : 'logCut';
  await expect(say('is that stored?')).rejects.toMatchObject({
    message: storageWords.en.rescued({ file: setting.file, loss }),
  });
  if (what.startsWith('replaced')) return;
  await expectNothingGarbled(setting, 6);
});

test.each(cases.filter(({ what }) => !atOnce.test(what)))(
  'a log that is $what $when is not copied, but told',
  async ({ when, touch }) => {
    const setting = await written();
    const { database, sayMuch, say } = setting;
    if (when === 'between commits') touch(setting);
    else await database.write(() => touch(setting));
    await sayMuch();
    await expect.poll(() => database.state.isLost).toBe(true);
    const words = storageWords.en.rescued({ file: setting.file, loss: 'logCut' });
    await expect(say('is that stored?')).rejects.toMatchObject({ message: words });
    await expectNothingGarbled(setting, 7);
  },
);

test.each(cases.filter(({ what }) => !what.startsWith('replaced')))(
  'a log that is $what $when is not copied at the end, and the next start says what is missing',
  async ({ when, touch }) => {
    const setting = await written();
    const { database } = setting;
    if (when === 'between commits') touch(setting);
    else await Promise.allSettled([database.write(() => touch(setting))]);
    await expectNothingGarbled(setting, 6);
  },
);

test('a log that was copied in part, and whose header is zeroed, is noticed by the next look', async () => {
  const { database, file, log, before, sayMuch } = await written();
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN; SELECT * FROM inbox');
  await sayMuch();
  await expect.poll(() => readFileSync(file).equals(before)).toBe(false);
  zero(log, 0, 32);
  await database.look();
  expect(database.state.isLost).toBe(true);
});

test('a copy that lacks what was stored is not kept as .rescued', async () => {
  const { database, file } = await written();
  const other = new Sqlite(file);
  other.exec('DELETE FROM inbox WHERE seq = 6');
  other.close();
  rmSync(file);
  await database.look();
  const why = storageWords.en.copyLacks({ message: 6 });
  const told = storageWords.en.notRescued({ file, loss: 'moved', why, hasOlder: false });
  expect(wordsIn('en', database.state.trouble?.words ?? '')).toBe(told);
  expect([`${file}.rescued`, `${file}.rescuing`].map((path) => existsSync(path))).toEqual([false, false]);
});

test('a file that is gone is looked for in the midst of a step: what is committed by then is saved behind it', async () => {
  const { database, file } = await written();
  rmSync(file);
  let looking: Promise<void> | undefined;
  const step = database.writeNow(async (sql) => {
    await sql.run(`INSERT INTO participants (conversation_id, principal, name) VALUES ('a', 'b', 'c')`);
    looking = database.look();
  });
  await step;
  await looking;
  const told = storageWords.en.rescued({ file, loss: 'moved' });
  expect(wordsIn('en', database.state.trouble?.words ?? '')).toBe(told);
  expect(rowsOf(`${file}.rescued`, 'SELECT principal FROM participants')).toContainEqual({ principal: 'b' });
});

test('a log that another program copies and begins again is no loss', async () => {
  const { database, say, file } = await written();
  const other = new Sqlite(file);
  other.pragma('wal_checkpoint(TRUNCATE)');
  await say('four');
  other.pragma('wal_checkpoint(TRUNCATE)');
  other.close();
  await database.look();
  await say('five');
  expect(database.state.trouble).toBeUndefined();
  await database.close();
  expect(rowsOf(file, 'SELECT count(*) AS count FROM inbox')).toEqual([{ count: 8 }]);
});
