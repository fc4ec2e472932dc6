import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database of the newest schema, in which nothing stands. */
    readonly emptyDatabase: string | undefined;
  }
}

/**
 * Makes a data folder with an empty database in it: the daemon would make one, which takes longer than most tests. Where there
 * is none to copy, as for authors of channels, it does.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  await mkdir(folder);
  const empty = inject('emptyDatabase');
  if (empty !== undefined) await copyFile(empty, join(folder, 'keyturn.db'));
}
