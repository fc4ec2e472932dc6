import { constants } from 'node:fs';
import { chmod, copyFile, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from './ids.ts';
import { syncFolder } from './sync-folder.ts';

/** Resolves with the size once the copy is on disk. Not a link, which would change with the original. */
export async function copyWhole(path: string, target: string): Promise<number> {
  // Reading a pipe or a device may never end.
  if (!(await stat(path)).isFile()) throw new Error('it is no file');
  await copyFile(path, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  await using file = await open(target, 'r+');
  await file.sync();
  await syncFolder(dirname(target));
  return (await file.stat()).size;
}

/** Resolves once the file is complete on disk. Does not overwrite. */
export async function writeOnce(path: string, bytes: Uint8Array): Promise<void> {
  if (await isThere(path)) return;
  const begun = `${path}-${newId(8)}`;
  await using file = await open(begun, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
  await rename(begun, path);
  await syncFolder(dirname(path));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await (await open(path, 'r')).close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
