import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Directory } from './directory.ts';
import { type OpeningRules, readWhole, withOpenFile } from './open-file.ts';
import { isPrivateDirectory, isPrivatePath, type PrivatePlaces } from './private-places.ts';
import { type Place, withDirectory } from './walk.ts';
import { explain, unless, WorkspaceError } from './workspace-error.ts';

/** An entry that a walk finds. Valid until its visit ends. */
export interface TreeEntry {
  /** Relative to the workspace, separated by `/`. */
  readonly path: string;
  /** The names from the start of the walk. */
  readonly way: readonly string[];
  readonly type: EntryType;
  /** In bytes; undefined if it is gone. */
  size(): Promise<number | undefined>;
  /** The whole file, as from `Workspace.read`. Throws `WorkspaceError`. */
  read(maxBytes: number): Promise<Buffer>;
}

/** Continue, into a folder too; skip what is in it; or end the walk. */
export type Onward = 'on' | 'over' | 'end';

export type Visit = (entry: TreeEntry) => Promise<Onward> | Onward;

/** Each level keeps a directory open. */
const mostLevels = 64;
/** The number of entries between turns of the event loop. */
const stride = 50;

/**
 * Visits everything below the place, in the order of names, folders before their content; or only the place if it is a
 * file. Links are visited, but not followed; private entries are skipped. Throws the signal's reason when it aborts.
 * `ended`: a visit ended the walk; `unopened`: how many folders could not be opened or are too deep.
 */
export async function walkTree(
  place: Place,
  { root, places, signal }: { readonly root: string; readonly places: PrivatePlaces; readonly signal: AbortSignal },
  visit: Visit,
) {
  let met = 0;
  let unopened = 0;
  let ended = false;

  async function each(directory: Directory, entries: readonly Dirent[], way: readonly string[]): Promise<void> {
    for (const dirent of entries) {
      if (met++ % stride === 0) await setImmediate();
      signal.throwIfAborted();
      const next = [...way, dirent.name];
      const onward = await meet({ directory, name: dirent.name }, next, entryType(dirent));
      if (onward === 'on' && dirent.isDirectory()) await enter(directory, next);
      if (ended) return;
    }
  }

  async function meet({ directory, name }: Place, way: readonly string[], type: EntryType): Promise<Onward> {
    const absolute = join(directory.path, name);
    if (isPrivatePath(absolute, places)) return 'over';
    const path = relative(root, absolute).replaceAll(sep, '/');
    const onward = await visit({
      path,
      way,
      type,
      size: async () => (await unless(['ENOENT'], lstat(directory.at(name))))?.size,
      read: (limit) => readEntry({ directory, name }, { path, limit, places }),
    });
    if (onward === 'end') ended = true;
    return onward;
  }

  async function enter(directory: Directory, way: readonly string[]): Promise<void> {
    const inner = way.length < mostLevels ? await orNothing(directory.enter(way.at(-1) ?? '.')) : undefined;
    if (inner === undefined) {
      unopened += 1;
      return;
    }
    try {
      if (await isPrivateDirectory(inner, places)) return;
      const entries = await orNothing(inner.entries());
      if (entries === undefined) unopened += 1;
      else await each(inner, entries, way);
    } finally {
      await inner.close();
    }
  }

  const { directory, name } = place;
  const type = name === '.' ? 'directory' : entryType(await lstat(directory.at(name)));
  if (type !== 'directory') await meet(place, [name], type);
  else
    await withDirectory(place, async (opened) => {
      if (opened === undefined) throw new WorkspaceError(`"${name}" was exchanged while it was opened. Try again.`);
      await each(opened, await opened.entries(), []);
    });
  return { ended, unopened };
}

/** Undefined if it can't be opened, is gone, or was swapped meanwhile. */
async function orNothing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await unless(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], work);
  } catch (cause) {
    if (cause instanceof WorkspaceError) return undefined;
    throw cause;
  }
}

async function readEntry(place: Place, rules: OpeningRules): Promise<Buffer> {
  try {
    return await withOpenFile(place, rules, (file) => readWhole(file, rules));
  } catch (cause) {
    throw explain(cause, rules.path);
  }
}

export type EntryType = 'directory' | 'file' | 'link' | 'other';

/** The type of the entry itself: links are not followed. */
export function entryType(found: Stats | Dirent): EntryType {
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}
