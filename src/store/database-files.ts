import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import type { StorageTrouble } from '../conversation/health/storage.ts';
import { columns, flag, integer, type Row } from './sql.ts';

/** The files of an open database. */
export interface DatabaseFiles {
  /** Call after each commit. */
  committed(): void;
  /** Call once the whole log is copied into the database and synced. */
  copied(changes: number): void;
  /** Captures the newest commit. Call the returned function to record it once it is on disk. */
  noting(): () => void;
  /** Whether the file is shorter than it was. It takes no copy of the log then: the rest of it is missing. */
  isCut(): boolean;
  /**
   * Words for owners if the files are not in place. Saves the content beside the database, if it can still be read: a
   * deleted file can. Undefined if all is well.
   */
  lostWords(isLogIntact: () => boolean): string | undefined;
  /** Closes the database. SQLite then copies the log into it unless another process has it open. */
  close(): void;
}

/**
 * The files of an open database. Records beside it what is on disk, and checks that the files are in place. Create it
 * while the write-ahead log has nothing unsynced. `changesBefore`: the change counter while the log was empty.
 */
export function createDatabaseFiles(sqlite: Sqlite.Database, changesBefore: number): DatabaseFiles {
  const { ino: inode, size } = statSync(sqlite.name);
  let bytes = size;
  const newest = newestIn(sqlite);
  const found = newest();
  const numbers = found && createNumbersFile(sqlite.name, { ...found, bytes, changes: changesBefore, isClosed: false });
  /** The inode of the write-ahead log, known after the first commit. */
  let inodeOfLog: number | undefined;

  function committed(): void {
    inodeOfLog ??= statSync(`${sqlite.name}-wal`, { throwIfNoEntry: false })?.ino;
  }

  function copied(changes: number): void {
    bytes = statSync(sqlite.name).size;
    numbers?.write({ bytes, changes });
  }

  function noting(): () => void {
    const noted = readNewest();
    return () => {
      if (noted !== undefined) numbers?.write(noted);
    };
  }

  const isCut = (): boolean => (statSync(sqlite.name, { throwIfNoEntry: false })?.size ?? bytes) < bytes;

  /** What happened to the files while they were open, in words for people; undefined if they are in place. */
  function whatIsWrong(isLogIntact: () => boolean): string | undefined {
    const file = sqlite.name;
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return `The database ${file} was moved or deleted while I work with it.`;
    if (found.ino !== inode) return `The database ${file} was replaced by another file while I work with it.`;
    if (found.size < bytes) return `The database ${file} was cut off while I work with it.`;
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino;
    if (inodeOfLog !== undefined && log !== inodeOfLog)
      return `The write-ahead log ${file}-wal was moved or deleted while I work with it.`;
    if (!isLogIntact()) return `The write-ahead log ${file}-wal was cut off or overwritten while I work with it.`;
    return undefined;
  }

  function lostWords(isLogIntact: () => boolean): string | undefined {
    const what = whatIsWrong(isLogIntact);
    if (what === undefined) return undefined;
    const name = basename(sqlite.name);
    const first = `${what} I store nothing any more until I am started again; what you write stays with the platform.`;
    const unsaved = rescue();
    if (unsaved === undefined)
      return `${first} All that was in it is saved as ${name}.rescued. Stop me, put that in the place of ${name}, remove ${name}-wal and ${name}-shm, and start me again.`;
    const older = existsSync(`${sqlite.name}.rescued`) ? ` ${name}.rescued there is from an earlier day.` : '';
    return `${first} What was in it could not be saved beside it: ${unsaved}.${older} Stop me, put it back with ${name}-wal if you have them, and start me again: the start says what is missing.`;
  }

  /** Saves the content as `.rescued`, once it is known to be complete. Otherwise why not; an earlier one stays then. */
  function rescue(): string | undefined {
    const [target, draft] = [`${sqlite.name}.rescued`, `${sqlite.name}.rescuing`];
    try {
      rmSync(draft, { force: true });
      sqlite.prepare('VACUUM INTO ?').run(draft);
      const missing = missingIn(draft);
      if (missing !== undefined) return missing;
      chmodSync(draft, 0o600);
      renameSync(draft, target);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Why a copy is not complete. Compares it with what was on disk last. */
  function missingIn(copy: string): string | undefined {
    const sqlite = new Sqlite(copy, { readonly: true });
    try {
      const health = sqlite.pragma('quick_check(1)', { simple: true });
      if (health !== 'ok') return `it is damaged (${String(health)})`;
      const noted = numbers?.newest();
      const inCopy = newestIn(sqlite)();
      if (noted === undefined || (inCopy !== undefined && inCopy.message >= noted.message && inCopy.deed >= noted.deed))
        return undefined;
      return `message number ${noted.message} cannot be read`;
    } finally {
      sqlite.close();
    }
  }

  /** Undefined if the file is too damaged to query. */
  function readNewest() {
    try {
      return newest();
    } catch (error) {
      if (error instanceof Sqlite.SqliteError) return undefined;
      throw error;
    }
  }

  function close(): void {
    const noteNewest = noting();
    const file = sqlite.name;
    sqlite.close();
    const isAlone = !existsSync(`${file}-wal`);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (isAlone && size !== undefined) {
      noteNewest();
      numbers?.write({ bytes: size, changes: changesOf(file), isClosed: true });
    }
    numbers?.close();
  }

  return { committed, copied, noting, isCut, lostWords, close };
}

/** SQLite's change counter in the file. Do not call it while the database is open: closing the file drops its locks. */
export function changesOf(file: string): number {
  const descriptor = openSync(file, 'r');
  try {
    return changesIn(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function changesIn(descriptor: number): number {
  const counter = Buffer.alloc(4);
  readSync(descriptor, counter, 0, counter.length, 24);
  return counter.readUInt32BE();
}

/** Reads the newest sequences of the append-only tables; undefined in a database without an identity. */
export function newestIn(sqlite: Sqlite.Database): () => Newest | undefined {
  const named = sqlite.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'identity'`).get();
  if (named === undefined) return () => undefined;
  const newest = sqlite.prepare<[], Row>(
    `SELECT value AS identity, coalesce((SELECT max(seq) FROM inbox), 0) AS message,
       coalesce((SELECT max(seq) FROM audit), 0) AS deed FROM identity`,
  );
  return () => newest.all().map(toNewest).at(0);
}

/** What is newest in a database. */
export interface Newest {
  /** The database's identity. Copies share it. */
  readonly identity: string;
  /** The newest inbox sequence on disk. */
  readonly message: number;
  /** The newest audit sequence on disk. */
  readonly deed: number;
}

const newestShape = { identity: 'text', message: 'integer', deed: 'integer' } as const;
const toNewest: (row: Row) => Newest = columns(newestShape);

/** Facts about a database, kept outside of it. All but the first and the last only ever grow. */
export interface Numbers extends Newest {
  /** The file's size when the write-ahead log was empty, in bytes. */
  readonly bytes: number;
  /** SQLite's change counter at that time. Increases at each start. */
  readonly changes: number;
  /** Whether the process that wrote this closed the database. */
  readonly isClosed: boolean;
}

const toNumbers: (row: Row) => Numbers = columns({
  ...newestShape,
  bytes: 'integer',
  changes: 'integer',
  isClosed: (row) => flag(row, 'closed'),
});

const slotSize = 256;
const sumSize = 8;

/** The numbers file. Backups do without it: a start then checks the database alone. */
export function numbersFileOf(databaseFile: string): string {
  return `${databaseFile}.numbers`;
}

/** The record of the last process; undefined if missing or unreadable. */
export function readNumbers(databaseFile: string): Numbers | undefined {
  return newestSlot(numbersFileOf(databaseFile))?.numbers;
}

/**
 * A small file by which the next start verifies the database. Two checksummed slots are written in turn, so a torn
 * write leaves the previous one intact. It is never synced: record only what is on disk in the database. The file may
 * then lag behind the database, but is never ahead of it.
 */
function createNumbersFile(databaseFile: string, first: Numbers) {
  const path = numbersFileOf(databaseFile);
  let numbers = first;
  let serial = newestSlot(path)?.serial ?? 0;
  let descriptor: number | undefined;

  function write(changed: Partial<Numbers>): void {
    numbers = { ...numbers, ...changed };
    try {
      descriptor ??= openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      const next = serial + 1;
      writeSync(descriptor, slotOf(next, numbers), 0, slotSize, (next % 2) * slotSize);
      serial = next;
    } catch {
      // Harmless: the next start can verify less.
    }
  }

  function close(): void {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  write({});
  return { write, newest: (): Numbers => numbers, close };
}

/** One line, readable for people. */
function slotOf(serial: number, numbers: Numbers): Buffer {
  const { isClosed, ...rest } = numbers;
  // Earlier versions refuse a record without `schema`.
  const text = JSON.stringify({ keyturn: 1, schema: 0, serial, ...rest, closed: isClosed ? 1 : 0 });
  const padded = text.padEnd(slotSize - sumSize - 1);
  return Buffer.from(`${padded}${sumOf(padded)}\n`);
}

function newestSlot(path: string) {
  let content: string;
  try {
    content = readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
  const slots = [0, 1].map((place) => readSlot(content.slice(place * slotSize, (place + 1) * slotSize)));
  return slots.filter((slot) => slot !== undefined).sort((one, other) => other.serial - one.serial)[0];
}

function readSlot(slot: string) {
  const padded = slot.slice(0, slotSize - sumSize - 1);
  if (slot.length !== slotSize || slot.slice(padded.length, -1) !== sumOf(padded)) return undefined;
  // Older versions did not record changes.
  const row: Row = { changes: 0, ...JSON.parse(padded) };
  return { serial: integer(row, 'serial'), numbers: toNumbers(row) };
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(sumSize, '0');
}

/** Whether incoming events can be stored. */
export interface StorageState {
  readonly trouble: StorageTrouble | undefined;
  /** Nothing may be stored until the next start. */
  readonly isLost: boolean;
  /** The watcher is told of each change. */
  watch(watcher: (trouble: StorageTrouble | undefined) => void): void;
  /** A write failed. Ignored unless the storage is the cause. */
  failed(error: unknown): void;
  /** The lock of another program is gone. */
  unlocked(): void;
  /** Whether a write failed because of the storage, which a later try may find in order. */
  isAtFault(error: unknown): boolean;
  /** What is wrong with the storage, by the error of a write: `the disk is full`. */
  briefOf(error: unknown): string | undefined;
  /** A write is on disk. */
  stored(): void;
  /** Nothing is stored from now on: it would end up where nobody finds it. */
  lose(lost: StorageTrouble): void;
}

export function createStorageState(): StorageState {
  let trouble: StorageTrouble | undefined;
  let isLost = false;
  const watchers: ((trouble: StorageTrouble | undefined) => void)[] = [];

  function change(next: StorageTrouble | undefined): void {
    if (next?.words === trouble?.words) return;
    trouble = next;
    for (const watcher of watchers) watcher(next);
  }

  return {
    get trouble(): StorageTrouble | undefined {
      return trouble;
    },
    get isLost() {
      return isLost;
    },
    watch: (watcher: (trouble: StorageTrouble | undefined) => void): void => void watchers.push(watcher),
    failed(error: unknown): void {
      if (isLost || !(error instanceof Error)) return;
      const brief = briefOf(error);
      if (brief === undefined) return;
      const what = brief === 'the disk is full' || brief === locked ? '' : ` (${error.message})`;
      const hint = brief === locked ? ' If that is a backup tool or an sqlite3 that hangs, end it.' : '';
      const words = `I cannot store anything: ${brief}${what}. What you write meanwhile is not lost: it stays with the platform, and I take it up when I can store it.${hint}`;
      change({ brief, words });
    },
    unlocked(): void {
      if (trouble?.brief === locked) change(undefined);
    },
    isAtFault: (error: unknown): boolean => isLost || briefOf(error) !== undefined,
    briefOf,
    stored(): void {
      if (!isLost) change(undefined);
    },
    lose(lost: StorageTrouble): void {
      if (isLost) return;
      isLost = true;
      change(lost);
    },
  };
}

const locked = 'another program has locked the database';

/** The cause by the error code of SQLite or the system; undefined if it is not the disk. */
function briefOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) return locked;
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return 'the disk is full';
  if (/^(?:SQLITE_IOERR_WRITE|EFBIG)/.test(code)) return 'the disk is full, or fails';
  if (/^(?:SQLITE_IOERR|EIO)/.test(code)) return 'the disk fails';
  if (/^(?:SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EROFS|EACCES)/.test(code))
    return 'the database may not be written';
  return undefined;
}
