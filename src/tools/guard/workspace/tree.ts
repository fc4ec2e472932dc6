import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Directory } from './directory.ts';
import { readWhole, withOpenFile } from './open-file.ts';
import { isPrivateIdentity, isPrivatePath, type PrivatePlaces } from './private-places.ts';
import type { Place } from './walk.ts';
import { explain, unless, WorkspaceError } from './workspace-error.ts';

/** Something that a walk meets. Usable until its visit ends. */
export interface TreeEntry {
  /** From the workspace on, with `/`. */
  readonly path: string;
  /** The names from where the walk began. */
  readonly way: readonly string[];
  readonly type: EntryType;
  /** In bytes; undefined if it is gone. */
  size(): Promise<number | undefined>;
  /** The whole file, as `Workspace.read` gives it: throws `WorkspaceError`. */
  read(maxBytes: number): Promise<Buffer>;
}

/** Go on, into it if it is a folder; go on, but not into it; or end the walk here. */
export type Onward = 'on' | 'over' | 'end';

export type Visit = (entry: TreeEntry) => Promise<Onward> | Onward;

export interface TreeReport {
  /** Whether a visit ended the walk. */
  readonly ended: boolean;
  /** Folders that could not be opened, or lie too deep. */
  readonly unopened: number;
}

export interface TreeRules {
  readonly root: string;
  readonly places: PrivatePlaces;
  readonly signal: AbortSignal;
}

/** Each level holds a directory open. */
const mostLevels = 64;
/** After so many entries others have their turn. */
const stride = 50;

/**
 * Visits what lies under the place, in the order of the names, folders before what is in them; or the place alone if it is a
 * file. Links are visited, and not followed; what is private is not visited. Throws the signal's reason when that aborts.
 */
export async function walkTree(place: Place, rules: TreeRules, visit: Visit): Promise<TreeReport> {
  const { directory, name } = place;
  const walk = new TreeWalk(rules, visit);
  if (name === '.') return walk.through(directory);
  const type = entryType(await lstat(directory.at(name)));
  if (type !== 'directory') return walk.only(directory, name, type);
  const inner = await directory.enter(name);
  if (inner === undefined) throw new WorkspaceError(`"${name}" was exchanged while it was opened. Try again.`);
  try {
    return await walk.through(inner);
  } finally {
    await inner.close();
  }
}

class TreeWalk {
  readonly #rules: TreeRules;
  readonly #visit: Visit;
  #met = 0;
  #unopened = 0;
  #ended = false;

  constructor(rules: TreeRules, visit: Visit) {
    this.#rules = rules;
    this.#visit = visit;
  }

  async through(directory: Directory): Promise<TreeReport> {
    await this.#each(directory, await directory.entries(), []);
    return this.#report();
  }

  async only(directory: Directory, name: string, type: EntryType): Promise<TreeReport> {
    await this.#meet(directory, [name], type);
    return this.#report();
  }

  #report(): TreeReport {
    return { ended: this.#ended, unopened: this.#unopened };
  }

  async #each(directory: Directory, entries: readonly Dirent[], way: readonly string[]): Promise<void> {
    for (const dirent of entries) {
      if (this.#met++ % stride === 0) await setImmediate();
      this.#rules.signal.throwIfAborted();
      const next = [...way, dirent.name];
      const onward = await this.#meet(directory, next, entryType(dirent));
      if (onward === 'on' && dirent.isDirectory()) await this.#enter(directory, next);
      if (this.#ended) return;
    }
  }

  async #meet(directory: Directory, way: readonly string[], type: EntryType): Promise<Onward> {
    const { places, root } = this.#rules;
    const name = way.at(-1) ?? '.';
    const absolute = join(directory.path, name);
    if (isPrivatePath(absolute, places)) return 'over';
    const path = relative(root, absolute).replaceAll(sep, '/');
    const place = { directory, name };
    const onward = await this.#visit({
      path,
      way,
      type,
      size: async () => (await unless(['ENOENT'], lstat(directory.at(name))))?.size,
      read: (limit) => readEntry(place, { path, limit, places }),
    });
    if (onward === 'end') this.#ended = true;
    return onward;
  }

  async #enter(directory: Directory, way: readonly string[]): Promise<void> {
    const inner = way.length < mostLevels ? await orNothing(directory.enter(way.at(-1) ?? '.')) : undefined;
    if (inner === undefined) {
      this.#unopened += 1;
      return;
    }
    try {
      if (await isPrivate(inner, this.#rules.places)) return;
      const entries = await orNothing(inner.entries());
      if (entries === undefined) this.#unopened += 1;
      else await this.#each(inner, entries, way);
    } finally {
      await inner.close();
    }
  }
}

/** Undefined if it may not be opened, is gone, or was exchanged meanwhile. */
async function orNothing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await unless(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], work);
  } catch (cause) {
    if (cause instanceof WorkspaceError) return undefined;
    throw cause;
  }
}

async function isPrivate(directory: Directory, places: PrivatePlaces): Promise<boolean> {
  return places.identities.length > 0 && isPrivateIdentity(await directory.identity(), places);
}

async function readEntry(place: Place, rules: Parameters<typeof withOpenFile>[1]): Promise<Buffer> {
  try {
    return await withOpenFile(place, rules, (file) => readWhole(file, rules));
  } catch (cause) {
    throw explain(cause, rules.path);
  }
}

export type EntryType = 'directory' | 'file' | 'link' | 'other';

/** What an entry of a directory is itself: a link is a link. */
export function entryType(found: Stats | Dirent): EntryType {
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}
