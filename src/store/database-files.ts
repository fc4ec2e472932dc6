import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { columns, flag, integer, type Row } from './sql.ts';

export type DatabaseFiles = ReturnType<typeof createDatabaseFiles>;

/**
 * The files of an open database: notes beside it what is on disk, and looks whether they still stand where they stood.
 * Open it when nothing is in the write-ahead log that is not on disk. `changesBefore`: those of the file when nothing stood in the log.
 */
export function createDatabaseFiles(sqlite: Sqlite.Database, changesBefore: number) {
  const { ino: inode, size } = statSync(sqlite.name);
  let bytes = size;
  const found = numbersIn(sqlite);
  const numbers = found && createNumbersFile(sqlite.name, { ...found, bytes, changes: changesBefore, isClosed: false });
  const newest =
    found &&
    sqlite.prepare<[], { readonly message: number; readonly deed: number }>(
      'SELECT coalesce((SELECT max(seq) FROM inbox), 0) AS message, coalesce((SELECT max(seq) FROM audit), 0) AS deed',
    );
  /** Of the write-ahead log, once something was committed. */
  let inodeOfLog: number | undefined;

  /** Something was committed. */
  function committed(): void {
    inodeOfLog ??= statSync(`${sqlite.name}-wal`, { throwIfNoEntry: false })?.ino;
  }

  /** All of the log was copied into the database, and is on disk there. */
  function copied(changes: number): void {
    bytes = statSync(sqlite.name).size;
    numbers?.write({ bytes, changes });
  }

  /** Notes what was committed until now, once the function that this returns is called: when that is on disk. */
  function noting(): () => void {
    const noted = readNewest();
    return () => {
      if (noted !== undefined) numbers?.write(noted);
    };
  }

  /** Says what happened to the files while they were open, for people; undefined if they are where they were. */
  function whatIsWrong(isLogCut: boolean): string | undefined {
    const file = sqlite.name;
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return `The database ${file} was moved or deleted while I work with it.`;
    if (found.ino !== inode) return `The database ${file} was replaced by another file while I work with it.`;
    if (found.size < bytes) return `The database ${file} was cut off while I work with it.`;
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino;
    if (inodeOfLog !== undefined && log !== inodeOfLog)
      return `The write-ahead log ${file}-wal was moved or deleted while I work with it.`;
    if (isLogCut) return `The write-ahead log ${file}-wal was cut off while I work with it.`;
    return undefined;
  }

  /** Saves all that is in the database beside it: files that are gone can be read until the process ends. In words for owners. */
  function lostWords(what: string): string {
    const [file, name] = [sqlite.name, basename(sqlite.name)];
    const first = `${what} I store nothing any more until I am started again; what you write stays with the platform.`;
    try {
      rmSync(`${file}.rescued`, { force: true });
      sqlite.prepare('VACUUM INTO ?').run(`${file}.rescued`);
      chmodSync(`${file}.rescued`, 0o600);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return `${first} What was in it could not be saved beside it: ${why}. Stop me, put it back with ${name}-wal, and start me again.`;
    }
    return `${first} All that was in it is saved as ${name}.rescued. Stop me, put that in the place of ${name}, remove ${name}-wal and ${name}-shm, and start me again.`;
  }

  /** Undefined where the file is too damaged to be asked. */
  function readNewest() {
    try {
      return newest?.get();
    } catch (error) {
      if (error instanceof Sqlite.SqliteError) return undefined;
      throw error;
    }
  }

  /** Closes the database, which copies all of its log into it unless somebody else has it open. */
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

  return { committed, copied, noting, whatIsWrong, lostWords, close };
}

/** SQLite's counter of changes, as the file alone has it. Not to be called while the file is open: closing it again drops its locks. */
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

/** Newest sequences of what is only ever added to; undefined in a database that has no name yet. */
export function numbersIn(sqlite: Sqlite.Database): Omit<Numbers, 'bytes' | 'changes' | 'isClosed'> | undefined {
  const named = sqlite.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'identity'`).get();
  if (named === undefined) return undefined;
  return sqlite
    .prepare<[], Row>(
      `SELECT value AS identity, user_version AS schema, coalesce((SELECT max(seq) FROM inbox), 0) AS message,
         coalesce((SELECT max(seq) FROM audit), 0) AS deed FROM identity, pragma_user_version`,
    )
    .all()
    .map(toNewest)
    .at(0);
}
const newestShape = { identity: 'text', schema: 'integer', message: 'integer', deed: 'integer' } as const;
const toNewest = columns(newestShape);

/** Facts about a database that stand outside of it. All but the first and the last only ever grow. */
export interface Numbers {
  /** The database's own name, which its copies have too. */
  readonly identity: string;
  /** The number of its schema. */
  readonly schema: number;
  /** The newest sequence of its inbox that is on disk. */
  readonly message: number;
  /** The newest sequence of its audit that is on disk. */
  readonly deed: number;
  /** How large its file was when the write-ahead log was empty, in bytes. */
  readonly bytes: number;
  /** What SQLite's counter of changes was in it then. It grows at each start. */
  readonly changes: number;
  /** Whether the process that wrote this has closed the database. */
  readonly isClosed: boolean;
}

const slotSize = 256;
const sumSize = 8;

/** Where the numbers of a database stand. Backups need it not: without it, a start looks at the database alone. */
export function numbersFileOf(databaseFile: string): string {
  return `${databaseFile}.numbers`;
}

/** The notes of the last process that worked with the database; undefined if there are none that can be read. */
export function readNumbers(databaseFile: string): Numbers | undefined {
  return newestSlot(numbersFileOf(databaseFile))?.numbers;
}

/**
 * A small file beside a database, with which the next start finds out whether what it is given is what there was. Two places
 * in it are written in turns, each with a checksum: whatever cuts a write off leaves the numbers before it. Nothing is waited
 * for, so what is written must be on disk in the database already: then the file may lag behind it, and is never ahead of it.
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
      // The next start is less sure then, and nothing is harmed.
    }
  }

  function close(): void {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  write({});
  return { write, close };
}

/** One line that people can read as well. */
function slotOf(serial: number, numbers: Numbers): Buffer {
  const { isClosed, ...rest } = numbers;
  const text = JSON.stringify({ keyturn: 1, serial, ...rest, closed: isClosed ? 1 : 0 });
  const padded = text.padEnd(slotSize - sumSize - 1);
  return Buffer.from(`${padded}${sumOf(padded)}\n`);
}

function newestSlot(path: string): { readonly serial: number; readonly numbers: Numbers } | undefined {
  let content: string;
  try {
    content = readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
  const slots = [0, 1].map((place) => readSlot(content.slice(place * slotSize, (place + 1) * slotSize)));
  return slots.filter((slot) => slot !== undefined).sort((one, other) => other.serial - one.serial)[0];
}

function readSlot(slot: string): { readonly serial: number; readonly numbers: Numbers } | undefined {
  const padded = slot.slice(0, slotSize - sumSize - 1);
  if (slot.length !== slotSize || slot.slice(padded.length, -1) !== sumOf(padded)) return undefined;
  // Notes of a Keyturn that counted no changes have none.
  const row: Row = { changes: 0, ...JSON.parse(padded) };
  return { serial: integer(row, 'serial'), numbers: { ...numbersOf(row), isClosed: flag(row, 'closed') } };
}

const numbersOf = columns({ ...newestShape, bytes: 'integer', changes: 'integer' });

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(sumSize, '0');
}
