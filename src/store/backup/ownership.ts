import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives these files, and folders with all in them, to the user whose data folder it is, if root works there: the daemon
 * that runs as that user could not open them otherwise. Links are not followed. What is not there is passed over.
 */
export function giveToOwner(dataFolder: string, paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataFolder);
  if (uid !== 0) for (const path of paths) give(path, uid, gid);
}

function give(path: string, uid: number, gid: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) for (const name of readdirSync(path)) give(join(path, name), uid, gid);
  lchownSync(path, uid, gid);
}
