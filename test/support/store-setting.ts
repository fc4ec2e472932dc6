import { readFileSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { inject, onTestFinished } from 'vitest';
import { type Conversation, conversationId } from '../../src/contract.ts';
import type { MessageDraft, Origin } from '../../src/engine/message.ts';
import type { Database } from '../../src/store/database.ts';
import { type Store, storeOf } from '../../src/store/index.ts';
import { openDatabase } from '../../src/store/open.ts';
import { newFolder } from './new-folder.ts';

/** A store on disk that is closed after the test. */
export async function newStore(): Promise<NewStore> {
  const file = join(await newFolder(), 'keyturn.db');
  const empty = inject('emptyDatabase');
  if (empty !== undefined) await copyFile(empty, file);
  const database = openDatabase(file);
  const store = storeOf(database, dirname(file));
  onTestFinished(() => store.close());
  return { store, database, file };
}

interface NewStore {
  readonly store: Store;
  /** With the tables of all features. */
  readonly database: Database;
  readonly file: string;
}

/** What a query finds in a database file. */
export function rowsOf(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    return sqlite.prepare<[], Record<string, unknown>>(sql).all();
  } finally {
    sqlite.close();
  }
}

/** Changes a database file that nobody works with. */
export function tamperWith(file: string, sql: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(sql);
  sqlite.close();
}

/** Statements after which nothing can be added to this table: a fault of the program, not of the disk. */
export function failingInsert(table: string): string {
  return `CREATE TRIGGER fault BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'a fault'); END`;
}

/** Copies all of the log into the file, and makes the first page of a table unreadable there. */
export function damage(file: string, table: string): void {
  const [{ page } = { page: 0 }] = rowsOf(file, `SELECT rootpage AS page FROM sqlite_schema WHERE name = '${table}'`);
  tamperWith(file, 'PRAGMA wal_checkpoint(TRUNCATE)');
  const content = readFileSync(file);
  const size = content.readUInt16BE(16);
  writeFileSync(file, content.fill(0xa5, (Number(page) - 1) * size, Number(page) * size));
}

/** An event of somebody, somewhere. */
export function originOf(person: string, conversation: Conversation, key: string = crypto.randomUUID()): Origin {
  return { key, conversation, conversationId: conversationId(conversation), principal: `test:${person}`, name: person };
}

/** A person has said that. */
export function said(origin: Origin, text: string, at = 0): MessageDraft {
  return { origin, text, isPerson: true, untrusted: [], isTrusted: () => true, sentAt: 0, at };
}
