import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Gives these files, and folders with all in them, to the user whose data folder it is, if root works there: the daemon
 * that runs as that user could not open them otherwise. Links are not followed. What is not there is passed over.
 */
export function giveToOwner(dataFolder: string, paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataFolder);
  if (uid !== 0) for (const path of paths) give(path, uid, gid);
}

/** A data folder, and whose it is, or whose the folder is in which it will be made. */
export interface Owned {
  readonly dataFolder: string;
  /** The highest folder that is not there yet: it is theirs with all in it. Undefined: the data folder is there. */
  readonly missing: string | undefined;
  readonly owner: Readonly<Record<'uid' | 'gid', number>>;
}

/** To be looked at before root works with a data folder that may not be there. */
export function ownedBefore(dataFolder: string, at = dataFolder, missing?: string): Owned {
  const found = statSync(at, { throwIfNoEntry: false });
  if (found === undefined) return ownedBefore(dataFolder, dirname(at), at);
  return { dataFolder, missing, owner: { uid: found.uid, gid: found.gid } };
}

/** Gives what root has made there since to whom the rest belongs. */
export function giveBack({ dataFolder, missing, owner: { uid, gid } }: Owned): void {
  if (process.getuid?.() !== 0 || uid === 0) return;
  const own = (): readonly string[] => readdirSync(dataFolder).filter((name) => name.startsWith('keyturn.'));
  for (const path of missing === undefined ? own().map((name) => join(dataFolder, name)) : [missing])
    give(path, uid, gid);
}

function give(path: string, uid: number, gid: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) for (const name of readdirSync(path)) give(join(path, name), uid, gid);
  lchownSync(path, uid, gid);
}
