import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import type { DaemonProcess } from '../support/daemon-process.ts';

/** Reads the daemon's database, which it goes on writing. */
export function daemonRows<Shape extends z.ZodType>(
  daemon: DaemonProcess,
  shape: Shape,
  sql: string,
  ...parameters: unknown[]
): readonly z.output<Shape>[] {
  const database = new Sqlite(join(daemon.dataDir, 'keyturn.db'), { readonly: true, fileMustExist: true });
  try {
    return z.array(shape).parse(database.prepare(sql).all(...parameters));
  } finally {
    database.close();
  }
}
