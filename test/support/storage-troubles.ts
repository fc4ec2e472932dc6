import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished, vi } from 'vitest';
import { storageWords } from '../../src/store/words.ts';

/** Something for which nothing can be stored, until it is ended. */
export interface StorageTrouble {
  /** What people are told of it. */
  readonly brief: string;
  end(): void;
}

/** The disk is full: no transaction of this process is committed. */
function fullDisk(): StorageTrouble {
  const sqlite = new Sqlite(':memory:');
  const statement: { run(): unknown; readonly source: string } = Object.getPrototypeOf(sqlite.prepare('BEGIN'));
  sqlite.close();
  const { run } = statement;
  const runs = vi.spyOn(statement, 'run').mockImplementation(function (this: typeof statement, ...parameters: []) {
    if (this.source === 'COMMIT') throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
    return run.apply(this, parameters);
  });
  const end = (): void => runs.mockRestore();
  onTestFinished(end);
  return { brief: storageWords.en.brief('full'), end };
}

/** Another program writes in the database of a daemon in this folder, and does not end. */
export function foreignLock(folder: string): StorageTrouble {
  const other = new Sqlite(join(folder, 'data', 'keyturn.db'));
  other.exec('BEGIN IMMEDIATE');
  const end = (): void => {
    other.close();
  };
  onTestFinished(end);
  return { brief: storageWords.en.brief('locked'), end };
}

/** Both, by their names. */
export const storageTroubles: readonly (readonly [string, (folder: string) => StorageTrouble])[] = [
  ['the disk is full', fullDisk],
  ['another program has the lock', foreignLock],
];
