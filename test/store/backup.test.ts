import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { tarEnd, tarHeader, tarPadding } from '../../src/lib/tar.ts';
import { add } from '../../src/store/audit.ts';
import { makeBackup } from '../../src/store/backup/make-backup.ts';
import { verifyBackup } from '../../src/store/backup/read-backup.ts';
import { finishRestore, restoreBackup } from '../../src/store/backup/restore.ts';
import { verifyData } from '../../src/store/backup/verify-data.ts';
import { backupWords } from '../../src/store/backup/words.ts';
import { lockData } from '../../src/store/examine.ts';
import { openDatabase } from '../../src/store/open.ts';
import { DataLockedError, StoreError } from '../../src/store/store-error.ts';
import { storeWords } from '../../src/store/words.ts';
import { direct } from '../support/deed.ts';
import { newFolder } from '../support/new-folder.ts';
import { newStore, originOf, rowsOf, said, tamperWith } from '../support/store-setting.ts';

const at = Date.UTC(2026, 10, 29, 3, 30);

/** A data folder with messages, an audit and files. Its database is open, as a daemon has it. */
async function newData(messages = 20) {
  const { store, database, file } = await newStore();
  const folder = join(file, '..');
  for (let count = 0; count < messages; count += 1)
    await store.inbox.accept(said(originOf('ada', direct('test')), `message ${count} 你好`));
  await database.write((sql) =>
    add(sql, { at, kind: 'person-paired', conversationId: '', actor: 'test:ada', detail: {} }),
  );
  mkdirSync(join(folder, 'files', 'm1'), { recursive: true });
  writeFileSync(join(folder, 'files', 'm1', '0'), 'a picture');
  mkdirSync(join(folder, 'undo'));
  writeFileSync(join(folder, 'undo', 'x'.repeat(180)), Buffer.alloc(70_000, 7));
  writeFileSync(join(folder, 'terminal-history'), 'hello\n');
  symlinkSync('/etc/passwd', join(folder, 'files', 'link'));
  writeFileSync(join(folder, 'unrelated.log'), 'not kept');
  return { store, database, file, folder };
}

function order(folder: string, target: string) {
  return { dataFolder: folder, target, replaces: false, config: '{"a": 1}\n', secrets: undefined, at };
}

/** All rows of all tables. */
function contentOf(file: string) {
  const tables = rowsOf(file, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).map(({ name }) =>
    String(name),
  );
  return Object.fromEntries(tables.map((name) => [name, rowsOf(file, `SELECT * FROM "${name}"`)]));
}

/** What was restored, but for the row of the audit that says so, which must be the newest. */
function restoredIn(file: string) {
  const { audit = [], sqlite_sequence: numbers = [], ...content } = contentOf(file);
  expect(audit.at(-1)).toMatchObject({ kind: 'data-restored', actor: 'machine:local' });
  const before = numbers.map(({ name, seq }) => ({ name, seq: name === 'audit' ? Number(seq) - 1 : seq }));
  return { ...content, audit: audit.slice(0, -1), sqlite_sequence: before };
}

async function refusal(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error('it was not refused');
}

function flipped(bytes: Buffer, place: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
  return changed;
}

/** An archive of these files, without a word of what is in it. */
function archiveWith(...entries: readonly (readonly [name: string, content: string])[]): Buffer {
  const blocks = entries.flatMap(([name, content]) => [
    tarHeader({ name, size: Buffer.byteLength(content) }, at),
    Buffer.from(content),
    tarPadding(Buffer.byteLength(content)),
  ]);
  return gzipSync(Buffer.concat([...blocks, tarEnd]));
}

describe('a backup of an open database', () => {
  test('brings back each row and file elsewhere, and nothing else', async () => {
    const { file, folder } = await newData();
    const target = join(await newFolder(), 'deep', 'backup.tar.gz');
    const made = await makeBackup(order(folder, target));
    expect(made).toEqual({ file: target, size: statSync(target).size, files: 5 });
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(target, '..'))).toEqual(['backup.tar.gz']);
    const elsewhere = await newFolder();
    const restored = await restoreBackup({ archive: target, dataFolder: elsewhere, features: [], at });
    expect(restored).toMatchObject({ former: undefined, config: '{"a": 1}\n', secrets: undefined });
    expect(restored.audit).toMatchObject({ type: 'whole', rows: 1 });
    expect(restoredIn(join(elsewhere, 'keyturn.db'))).toEqual(contentOf(file));
    expect(readFileSync(join(elsewhere, 'files/m1/0'), 'utf8')).toBe('a picture');
    expect(readFileSync(join(elsewhere, 'undo', 'x'.repeat(180)))).toEqual(Buffer.alloc(70_000, 7));
    expect(readFileSync(join(elsewhere, 'terminal-history'), 'utf8')).toBe('hello\n');
    expect(existsSync(join(elsewhere, 'files/link'))).toBe(false);
    expect(existsSync(join(elsewhere, 'unrelated.log'))).toBe(false);
    expect(readdirSync(elsewhere).filter((name) => name.startsWith('restor'))).toEqual([]);
    await openDatabase(join(elsewhere, 'keyturn.db')).close();
  });

  test('is one instant, while rows are written', async () => {
    const { store, folder } = await newData(200);
    let isOver = false;
    const writing = (async () => {
      for (let count = 0; !isOver; count += 1)
        await store.inbox.accept(said(originOf('ada', direct('test')), `later ${count}`));
    })();
    const target = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(folder, target));
    isOver = true;
    await writing;
    expect(store.state.trouble).toBeUndefined();
    const elsewhere = await newFolder();
    await restoreBackup({ archive: target, dataFolder: elsewhere, features: [], at });
    const seqs = rowsOf(join(elsewhere, 'keyturn.db'), 'SELECT seq FROM inbox ORDER BY seq').map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
    expect(seqs.length).toBeGreaterThanOrEqual(200);
  });

  test('is an archive that tar reads', async () => {
    const { folder } = await newData();
    const target = join(await newFolder(), 'backup.tar.gz');
    await makeBackup({ ...order(folder, target), secrets: 'TOKEN=hunter2\n' });
    const names = execFileSync('tar', ['-tzf', target], { encoding: 'utf8' }).trim().split('\n');
    expect(names).toEqual([
      'data/keyturn.db',
      'data/files/m1/0',
      `data/undo/${'x'.repeat(180)}`,
      'data/terminal-history',
      'config.json',
      '.env',
      'manifest.json',
    ]);
    const manifest = JSON.parse(execFileSync('tar', ['-xzOf', target, 'manifest.json'], { encoding: 'utf8' }));
    expect(manifest).toMatchObject({ format: 1, made_at: new Date(at).toISOString(), has_secrets: true });
  });

  test('does not contain what was deleted', async () => {
    const { store, database, folder } = await newData(5);
    await store.inbox.accept(said(originOf('ada', direct('test')), 'swordfish '.repeat(50)));
    await database.write((sql) => sql.run(`DELETE FROM inbox WHERE text LIKE 'swordfish%'`));
    const target = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(folder, target));
    expect(gunzipSync(readFileSync(target)).includes('swordfish')).toBe(false);
  });

  test('replaces no file unless it is told to, and makes none of a folder without a database', async () => {
    const { folder } = await newData(1);
    const target = join(await newFolder(), 'backup.tar.gz');
    writeFileSync(target, 'mine');
    const error = await refusal(makeBackup(order(folder, target)));
    expect(error.message).toBe(backupWords.en.isThere({ file: target }));
    expect(readFileSync(target, 'utf8')).toBe('mine');
    await makeBackup({ ...order(folder, target), replaces: true });
    await verifyBackup(target, []);
    const empty = await newFolder();
    const none = await refusal(makeBackup(order(empty, join(empty, 'b.tar.gz'))));
    expect(none.message).toBe(backupWords.en.noDatabase({ file: join(empty, 'keyturn.db') }));
  });

  test('leaves nothing where it cannot be written', async () => {
    const { folder } = await newData(1);
    const place = await newFolder();
    writeFileSync(join(place, 'file'), '');
    const error = await refusal(makeBackup(order(folder, join(place, 'file', 'backup.tar.gz'))));
    expect(error).toBeInstanceOf(StoreError);
    expect(readdirSync(place)).toEqual(['file']);
  });

  test('of a damaged database is not made', async () => {
    const { folder, store } = await newData(300);
    await store.close();
    const file = join(folder, 'keyturn.db');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 8192, bytes.length - 4096));
    const place = await newFolder();
    const error = await refusal(makeBackup(order(folder, join(place, 'backup.tar.gz'))));
    expect(error.message).toMatch(/is damaged/);
    expect(readdirSync(place)).toEqual([]);
  });
});

test('a full disk is said, and nothing half is left', async () => {
  const { folder } = await newData(50);
  const place = await newFolder();
  const target = join(place, 'backup.tar.gz');
  const script = `import('${join(import.meta.dirname, '../../src/store/backup/make-backup.ts')}').then(({ makeBackup }) =>
    makeBackup(${JSON.stringify(order(folder, target))}).catch((error) => { console.log(error.message); process.exit(3); }))`;
  // No file of this shell can have more than 64 KB.
  const command = `ulimit -f 64; trap '' XFSZ; exec "$0" --no-warnings -e "$1"`;
  const child = spawn('bash', ['-c', command, process.execPath, script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const [code] = await once(child, 'close');
  expect(said.join('').trim()).toBe(backupWords.en.full({ folder: place }));
  expect(code).toBe(3);
  expect(readdirSync(place)).toEqual([]);
});

test('a disk that takes only a part of a file is full: nothing is replaced', async () => {
  const { folder, file, store } = await newData(5);
  await store.close();
  const most = Math.ceil(statSync(file).size / 1024) + 128;
  // Its last part crosses the bound, so that a single write would take a part of it and say nothing.
  writeFileSync(join(folder, 'files/m1/large'), randomBytes(most * 1024 + 10));
  const archive = join(await newFolder(), 'backup.tar.gz');
  await makeBackup(order(folder, archive));
  const { folder: place, store: other } = await newData(7);
  await other.close();
  const input = JSON.stringify({ archive, dataFolder: place, features: [], at });
  const script = `import('${join(import.meta.dirname, '../../src/store/backup/restore.ts')}').then(({ restoreBackup }) =>
    restoreBackup(${input}).catch((error) => { console.log(error.message); process.exit(3); }))`;
  const command = `ulimit -f ${most}; trap '' XFSZ; exec "$0" --no-warnings -e "$1"`;
  const { status, stdout } = spawnSync('bash', ['-c', command, process.execPath, script], { encoding: 'utf8' });
  expect(stdout.trim()).toBe(backupWords.en.full({ folder: join(place, 'restoring') }));
  expect(status).toBe(3);
  expect(rowsOf(join(place, 'keyturn.db'), 'SELECT seq FROM inbox')).toHaveLength(7);
});

describe('an archive', () => {
  async function newArchive(): Promise<string> {
    const { folder } = await newData(20);
    const target = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(folder, target));
    return target;
  }

  /** What it says, and that a restore leaves the folder as it was. */
  async function refused(archive: string): Promise<string> {
    const { message } = await refusal(verifyBackup(archive, []));
    const folder = await newFolder();
    await openDatabase(join(folder, 'keyturn.db')).close();
    const before = readdirSync(folder);
    const error = await refusal(restoreBackup({ archive, dataFolder: folder, features: [], at }));
    // Of two faults of one archive, that of the packing may be met first or second: the reader's pace decides.
    const plain = (words: string): string => words.replace(/(?<=damaged: )[^:]+(?=\. Nothing)/, '');
    expect(plain(error.message)).toBe(plain(message));
    expect(readdirSync(folder).filter((name) => !/^keyturn\.(?:lock|pid)$/.test(name))).toEqual(before);
    return message;
  }

  test('that is cut off anywhere is refused', async () => {
    const archive = await newArchive();
    const whole = readFileSync(archive);
    for (const part of [0.1, 0.5, 0.9, 0.99]) {
      writeFileSync(archive, whole.subarray(0, Math.floor(whole.length * part)));
      expect(await refused(archive)).toBe(backupWords.en.cut({ file: archive }));
    }
    // Without its list, at the border of two files.
    writeFileSync(archive, archiveWith(['data/files/a', 'a']));
    expect(await refused(archive)).toBe(backupWords.en.cut({ file: archive }));
  });

  test('with one changed byte is refused, wherever that is', async () => {
    const archive = await newArchive();
    const packed = readFileSync(archive);
    const whole = gunzipSync(packed);
    for (const place of [600, 5000, Math.floor(whole.length / 2)]) {
      writeFileSync(archive, gzipSync(flipped(whole, place)));
      await refused(archive);
    }
    for (const part of [0.2, 0.6, 0.9999]) {
      writeFileSync(archive, flipped(packed, Math.floor(packed.length * part)));
      await refused(archive);
    }
  });

  test.each([
    ['../../evil', 'unsafe'],
    ['/etc/evil', 'unsafe'],
    ['data/../evil', 'unsafe'],
    ['data/files/..\\evil', 'unsafe'],
    ['data/files//evil', 'unsafe'],
    ['data/keyturn.db.numbers', 'unsafe'],
    ['evil', 'unsafe'],
  ] as const)('with the path %s is refused', async (name, kind) => {
    const archive = join(await newFolder(), 'evil.tar.gz');
    writeFileSync(archive, archiveWith([name, 'evil']));
    expect(await refused(archive)).toContain(backupWords.en[kind]({ file: archive, reason: '' }).slice(0, 40));
  });

  test('with a link, a device, or one file twice is refused', async () => {
    const folder = await newFolder();
    const archive = join(folder, 'evil.tar.gz');
    mkdirSync(join(folder, 'data/files'), { recursive: true });
    symlinkSync('/etc', join(folder, 'data/files/link'));
    execFileSync('tar', ['-czf', archive, '-C', folder, 'data/files/link']);
    expect(await refused(archive)).toContain('no regular file');
    writeFileSync(archive, archiveWith(['data/files/a', 'a'], ['data/files/a', 'b']));
    expect(await refused(archive)).toContain('twice');
  });

  test('that is none, or is not there, is refused', async () => {
    const folder = await newFolder();
    const archive = join(folder, 'a.tar.gz');
    expect(await refused(archive)).toBe(backupWords.en.noFile({ file: archive }));
    writeFileSync(archive, 'a text');
    expect(await refused(archive)).toContain(backupWords.en.noBackup({ file: archive, reason: '' }).split(':')[0]);
    expect(await refused(folder)).toMatch(/^Cannot read/);
  });

  test('of a newer Keyturn is refused with its version', async () => {
    const { folder, store } = await newData(1);
    await store.close();
    tamperWith(join(folder, 'keyturn.db'), 'PRAGMA user_version = 999');
    const newer = join(await newFolder(), 'newer.tar.gz');
    await makeBackup(order(folder, newer));
    expect(await refusal(verifyBackup(newer, []))).toBeInstanceOf(StoreError);
    expect(await refused(newer)).toContain('999');
  });

  test('tells that its audit was changed, and can be put back all the same', async () => {
    const { folder, store } = await newData(1);
    await store.close();
    tamperWith(join(folder, 'keyturn.db'), `DROP TRIGGER audit_is_not_changed; UPDATE audit SET actor = 'eve'`);
    const archive = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(folder, archive));
    expect((await verifyBackup(archive, [])).audit).toMatchObject({ type: 'broken', seq: 1 });
  });
});

describe('a restore', () => {
  test('keeps what was there, and takes the place of all of it', async () => {
    const { folder: source } = await newData(3);
    const archive = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(source, archive));
    const { folder, store } = await newData(7);
    await store.close();
    writeFileSync(join(folder, 'files/m1/0'), 'another');
    writeFileSync(join(folder, 'keyturn.db.numbers'), 'of another');
    const { former = '' } = await restoreBackup({ archive, dataFolder: folder, features: [], at });
    expect(rowsOf(join(folder, 'keyturn.db'), 'SELECT seq FROM inbox')).toHaveLength(3);
    expect(existsSync(join(folder, 'keyturn.db.numbers'))).toBe(false);
    expect(readFileSync(join(folder, 'files/m1/0'), 'utf8')).toBe('a picture');
    expect(rowsOf(join(former, 'keyturn.db'), 'SELECT seq FROM inbox')).toHaveLength(7);
    expect(readFileSync(join(former, 'files/m1/0'), 'utf8')).toBe('another');
    await openDatabase(join(folder, 'keyturn.db')).close();
    const again = await restoreBackup({ archive, dataFolder: folder, features: [], at });
    expect(again.former).not.toBe(former);
  });

  test('and a backup in it leave the folder to its user, also if root runs them', async () => {
    const { folder, store } = await newData(3);
    await store.close();
    const isRoot = process.getuid?.() === 0;
    const user = isRoot ? 4711 : statSync(folder).uid;
    const all = () => [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ];
    if (isRoot) for (const path of all()) lchownSync(path, user, user);
    const archive = join(folder, 'backups', 'backup.tar.gz');
    await makeBackup(order(folder, archive));
    await restoreBackup({ archive, dataFolder: folder, features: [], at });
    const others = all().filter((path) => lstatSync(path).uid !== user);
    expect(others).toEqual([]);
  });

  test('is refused while a daemon works with the folder', async () => {
    const { folder } = await newData(3);
    const archive = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(folder, archive));
    const unlock = lockData(folder);
    const error = await refusal(restoreBackup({ archive, dataFolder: folder, features: [], at }));
    unlock();
    expect(error).toBeInstanceOf(DataLockedError);
  });

  test('that is interrupted before any step leaves the old folder or the new one', async () => {
    const { folder: source } = await newData(3);
    const archive = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(source, archive));
    const seen: string[] = [];
    for (let last = 1; last < 40; last += 1) {
      const { folder, store } = await newData(7);
      await store.close();
      const steps: string[] = [];
      const before = (step: string): void => {
        steps.push(step);
        if (steps.length === last) throw new Error('killed');
      };
      await restoreBackup({ archive, dataFolder: folder, features: [], at, before }).catch(() => {});
      if (steps.length < last) break;
      seen.push(steps.at(-1) ?? '');
      const isNew = existsSync(join(folder, 'restore.json')) || seen.at(-1) === 'tidy';
      finishRestore(folder);
      expect(rowsOf(join(folder, 'keyturn.db'), 'SELECT seq FROM inbox')).toHaveLength(isNew ? 3 : 7);
      expect(readFileSync(join(folder, 'files/m1/0'), 'utf8')).toBe('a picture');
      expect(readdirSync(folder).filter((name) => name.startsWith('restor'))).toEqual([]);
      await openDatabase(join(folder, 'keyturn.db')).close();
    }
    expect(seen).toEqual(expect.arrayContaining(['unpack', 'note', 'move keyturn.db', 'end', 'tidy']));
    expect(seen.filter((step) => step === 'move keyturn.db')).toHaveLength(2);
  });

  test('that cannot move a file goes on when it can', async () => {
    const { folder: source } = await newData(3);
    const archive = join(await newFolder(), 'backup.tar.gz');
    await makeBackup(order(source, archive));
    const { folder, store } = await newData(7);
    await store.close();
    const before = (step: string): void => {
      if (step === 'move files') throw Object.assign(new Error('no'), { code: 'EBUSY' });
    };
    const error = await refusal(restoreBackup({ archive, dataFolder: folder, features: [], at, before }));
    expect(error.message).toBe(backupWords.en.moving({ folder: join(folder, 'restoring'), reason: 'no' }));
    // Neither the old data nor the new: nothing is made or said of them.
    const half = backupWords.en.restoreOpen({ folder });
    await expect(verifyData(folder, [])).rejects.toThrow(half);
    const target = join(await newFolder(), 'backup.tar.gz');
    expect((await refusal(makeBackup(order(folder, target)))).message).toBe(half);
    expect(existsSync(target)).toBe(false);
    const { former } = await restoreBackup({ archive, dataFolder: folder, features: [], at: at + 1000 });
    expect(rowsOf(join(folder, 'keyturn.db'), 'SELECT seq FROM inbox')).toHaveLength(3);
    expect(readdirSync(folder).filter((name) => name.startsWith('before-restore-'))).toHaveLength(2);
    expect(former).toBeDefined();
  });
});

describe('the data folder', () => {
  test('is verified while a daemon works with it', async () => {
    const { folder, file } = await newData(6);
    const verified = await verifyData(folder, []);
    expect(verified).toMatchObject({ file, messages: 6, audit: { type: 'whole', rows: 1 } });
  });

  test('that is damaged, or has no database, is said to be', async () => {
    const { folder, store, file } = await newData(300);
    await store.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 8192, bytes.length - 4096));
    await expect(verifyData(folder, [])).rejects.toThrow(/is damaged/);
    const empty = await newFolder();
    const missing = join(empty, 'keyturn.db');
    await expect(verifyData(empty, [])).rejects.toThrow(storeWords.en.noneToRead({ file: missing }));
  });
});

test('a database that a process has left open is backed up with its log', async () => {
  const { folder, file } = await newData(9);
  const copy = await newFolder();
  for (const end of ['', '-wal']) writeFileSync(join(copy, `keyturn.db${end}`), readFileSync(`${file}${end}`));
  const target = join(await newFolder(), 'backup.tar.gz');
  await makeBackup(order(copy, target));
  const elsewhere = await newFolder();
  await restoreBackup({ archive: target, dataFolder: elsewhere, features: [], at });
  expect(restoredIn(join(elsewhere, 'keyturn.db'))).toEqual(contentOf(join(folder, 'keyturn.db')));
  const sqlite = new Sqlite(join(elsewhere, 'keyturn.db'), { readonly: true });
  expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
  sqlite.close();
  chmodSync(target, 0o600);
});
