// @ts-check
// Counts what a process asks SQLite for, when Node loads it before the process (`--import`): statements, and commits of any kind. On
// SIGUSR2 it writes its counts since the start as JSON into the temporary folder. JavaScript, so that it changes little.
import { renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const counts = { statements: 0, commits: 0 };

const [, script] = process.argv;
if (script !== undefined && isMainThread) {
  countIn(createRequire(script)('better-sqlite3'));
  process.on('SIGUSR2', writeCounts);
}

/** @param {typeof import('better-sqlite3')} Sqlite */
function countIn(Sqlite) {
  const sqlite = new Sqlite(':memory:');
  const prototype = Object.getPrototypeOf(sqlite.prepare('SELECT 1'));
  sqlite.close();
  for (const name of ['run', 'get', 'all', 'iterate']) prototype[name] = counted(prototype[name]);
}

/**
 * @param {(this: import('better-sqlite3').Statement, ...values: unknown[]) => unknown} method
 * @returns {typeof method}
 */
function counted(method) {
  return function (...values) {
    const wasOpen = this.database.inTransaction;
    counts.statements += 1;
    const result = method.apply(this, values);
    const isOpen = this.database.inTransaction;
    // The end of a transaction, or a change outside of one, which is committed by itself.
    if (!isOpen && (wasOpen || !this.readonly)) counts.commits += 1;
    return result;
  };
}

/** Who waits for the file finds all of it. */
function writeCounts() {
  const file = join(tmpdir(), `keyturn-counts-${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(counts));
  renameSync(`${file}.new`, file);
}
