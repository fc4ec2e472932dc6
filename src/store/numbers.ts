import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type Sqlite from 'better-sqlite3';
import { columns, flag, integer, type Row } from './sql.ts';

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
function numbersFileOf(databaseFile: string): string {
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
export class NumbersFile {
  readonly #path: string;
  #numbers: Numbers;
  #serial: number;
  #descriptor: number | undefined;

  constructor(databaseFile: string, first: Numbers) {
    this.#path = numbersFileOf(databaseFile);
    this.#numbers = first;
    this.#serial = newestSlot(this.#path)?.serial ?? 0;
    this.write({});
  }

  write(changed: Partial<Numbers>): void {
    this.#numbers = { ...this.#numbers, ...changed };
    try {
      this.#descriptor ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
      const next = this.#serial + 1;
      writeSync(this.#descriptor, slotOf(next, this.#numbers), 0, slotSize, (next % 2) * slotSize);
      this.#serial = next;
    } catch {
      // Harmless: the next start can verify less.
    }
  }

  newest(): Numbers {
    return this.#numbers;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
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
