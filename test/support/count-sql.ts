import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { onTestFinished, vi } from 'vitest';

/** What this process has asked of SQLite, until the end of the test. */
export interface SqlCounts {
  readonly statements: number;
  /** Ends of transactions that may have changed something, and changes outside of one, which are committed by themselves. */
  readonly commits: number;
  /** The texts of the statements, in their order. */
  readonly texts: readonly string[];
}

interface Statement {
  readonly source: string;
  readonly readonly: boolean;
  readonly database: { readonly inTransaction: boolean };
}

/** Counts from now on. */
export function countSql(): SqlCounts {
  const texts: string[] = [];
  const counts = { statements: 0, commits: 0, texts };
  let hasWritten = false;
  const sqlite = new Sqlite(':memory:');
  const prototype: Record<string, (this: Statement, ...values: readonly unknown[]) => unknown> = Object.getPrototypeOf(
    sqlite.prepare('SELECT 1'),
  );
  sqlite.close();
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const method = prototype[name];
    if (method === undefined) throw new Error(`Statements of better-sqlite3 have no ${name} any more.`);
    const spy = vi.spyOn(prototype, name).mockImplementation(function (this: Statement, ...values) {
      counts.statements += 1;
      texts.push(this.source);
      hasWritten ||= !this.readonly;
      const result = method.apply(this, values);
      if (this.database.inTransaction) return result;
      if (hasWritten) counts.commits += 1;
      hasWritten = false;
      return result;
    });
    onTestFinished(() => spy.mockRestore());
  }
  return counts;
}

/** How much is written to the write-ahead log of a database from now on, if it is looked at more often than the log begins again. */
export class GrowingLog {
  readonly #database: string;
  #size: number;
  /** In bytes. */
  written = 0;

  constructor(database: string) {
    this.#database = database;
    this.#size = bytesInLog(database);
  }

  look(): void {
    const before = this.#size;
    this.#size = bytesInLog(this.#database);
    this.written += this.#size < before ? this.#size : this.#size - before;
  }
}

/** As SQLite's index of the log has it. */
function bytesInLog(database: string): number {
  const index = readFileSync(`${database}-shm`);
  // In the machine's byte order: https://www.sqlite.org/walformat.html.
  const [pages = 0] = new Uint32Array(new Uint8Array(index.subarray(16, 20)).buffer);
  const [pageSize = 0] = new Uint16Array(new Uint8Array(index.subarray(14, 16)).buffer);
  return pages * (pageSize + 24);
}
