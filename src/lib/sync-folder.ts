import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/*
 * A file that is synced may still be nameless after a power failure: its name stands in the folder, which is synced by itself.
 * Windows opens no folders, and needs no sync of them.
 */
const opensFolders = process.platform !== 'win32';

/** Resolves when the names in a folder survive a power failure: of files that were made, renamed or removed. */
export async function syncFolder(folder: string): Promise<void> {
  if (!opensFolders) return;
  await using opened = await open(folder, 'r');
  await opened.sync();
}

/** The same, before it returns. */
export function syncFolderNow(folder: string): void {
  if (!opensFolders) return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
