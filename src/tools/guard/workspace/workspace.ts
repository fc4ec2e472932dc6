import { type Dirent, existsSync, type Stats } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { formatSize } from '../../text.ts';
import { addFile, readWhole, withOpenFile, writeFile } from './open-file.ts';
import {
  type Directory,
  isPrivateDirectory,
  isPrivatePath,
  type Place,
  type WalkOptions,
  withDirectory,
  withPlace,
} from './place.ts';
import { errorCode, explain, unless, WorkspaceError } from './workspace-error.ts';

/** Rules for every workspace. Plain data, for workers too. */
export interface WorkspaceRules {
  /** In bytes. Default 10 MB. */
  readonly maxRead?: number;
  /** In bytes. Default 10 MB. */
  readonly maxWrite?: number;
  /** Absolute paths of files and folders that no tool may use, even in a workspace. */
  readonly privatePaths?: readonly string[];
}

/** A checked file, while it is held open. */
export interface HeldFile {
  /** Leads to exactly this file, even if another takes its name; by name if the system has no such paths. */
  readonly path: string;
  readonly name: string;
  /** In bytes, at the time of opening. */
  readonly size: number;
}

/** A folder that confines tools. Every method throws `WorkspaceError` in words for the model. */
export type Workspace = ReturnType<WorkspaceFactory>;

/** Makes the guard of a folder: an absolute path without links. */
export type WorkspaceFactory = ReturnType<typeof workspaces>;

/** Guards with these rules. No approval overrides what they refuse. */
export function workspaces(rules: WorkspaceRules = {}, byHandle: boolean = hasOpenFilePaths()) {
  const { maxRead = 10 * 2 ** 20, maxWrite = 10 * 2 ** 20, privatePaths = [] } = rules;
  return (root: string) => {
    const options = { root, byHandle, privatePaths };
    const shown = (absolute: string): string => relative(root, absolute).replaceAll(sep, '/');
    return {
      /** The largest file that can be written, in bytes. */
      maxWrite,
      /** Creates the folder if it is missing. */
      prepare: () => withPlace('.', options, false, async () => {}),
      /** The whole file. Only regular files are read. */
      read: (path: string) => withPlace(path, options, false, (place) => readWhole(place, maxRead)),
      /** Holds a regular file of at most `maxBytes` open for the work, which reads it by the given path. */
      withFile: <Result>(path: string, maxBytes: number, work: (file: HeldFile) => Promise<Result>) =>
        withPlace(path, options, false, (place) =>
          withOpenFile(place, maxBytes, (file, size) =>
            work({ path: place.directory.pathOf(place.name, file), name: place.name, size }),
          ),
        ),
      /** The target of the path, links followed, relative to the folder. */
      locate: (path: string) =>
        withPlace(path, options, false, async ({ directory, name }) => shown(join(directory.path, name))),
      /** At most `limit` entries, sorted by name, and the total number. */
      list: (path: string, limit: number) => withPlace(path, options, false, (place) => list(place, limit)),
      /** Removes the oldest files until `most` are left. Does nothing if the folder is missing or behind a link. */
      keepNewest: (path: string, most: number) => keepNewest(path, options, most),
      /** Visits everything below the path, one entry after another: see `walkTree`. */
      walk: (path: string, visit: Visit, signal: AbortSignal) =>
        withPlace(path, options, false, (place) => walkTree(place, { shown, signal }, visit)),
      /** Adds a file that only its owner can read, without overwriting: see `addFile`. Resolves with its path. */
      add: (path: string, bytes: Uint8Array) =>
        withPlace(path, options, true, async (place) => shown(join(place.directory.path, await addFile(place, bytes)))),
      /** Replaces or creates the file atomically. Creates missing directories on the way. */
      async write(path: string, content: string) {
        const bytes = Buffer.from(content);
        if (bytes.length > maxWrite) {
          throw new WorkspaceError(
            `${formatSize(bytes.length)} is too much for one file: at most ${formatSize(maxWrite)} can be written.`,
          );
        }
        return withPlace(path, options, true, (place) => writeFile(place, bytes));
      },
    };
  };
}

function hasOpenFilePaths(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

async function keepNewest(path: string, options: WalkOptions, most: number): Promise<void> {
  const work = withPlace(join(path, 'any'), options, false, async ({ directory }) => {
    // Through a link it could be any other folder.
    if (directory.path !== join(options.root, path)) return;
    const names = await readdir(directory.self);
    if (names.length <= most) return;
    const found = await Promise.all(
      names.map(async (name) => ({ name, stats: await unless(['ENOENT'], lstat(directory.at(name))) })),
    );
    const files = found.flatMap(({ name, stats }) => (stats?.isFile() === true ? [{ name, at: stats.mtimeMs }] : []));
    const oldestFirst = files.toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
    for (const { name } of oldestFirst.slice(0, Math.max(0, files.length - most)))
      await unless(['ENOENT'], unlink(directory.at(name)));
  });
  await work.catch((cause: unknown) => {
    if (!(cause instanceof WorkspaceError && errorCode(cause.cause) === 'ENOENT')) throw cause;
  });
}

function list(place: Place, limit: number) {
  return withDirectory(place, async (opened) => {
    if (opened === undefined)
      throw new WorkspaceError(`"${place.name}" is not a directory. To read a file, use read_file.`);
    const describe = async (name: string) => {
      const found = await lstat(opened.at(name));
      return { name, type: entryType(found), size: found.size };
    };
    const names = (await opened.entries()).map(({ name }) => name);
    const entries = await Promise.all(names.slice(0, limit).map((name) => unless(['ENOENT'], describe(name))));
    return { entries: entries.filter((entry) => entry !== undefined), total: names.length };
  });
}

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
async function walkTree(
  place: Place,
  { shown, signal }: { readonly shown: (absolute: string) => string; readonly signal: AbortSignal },
  visit: Visit,
) {
  const { directory: start, name, privatePlaces } = place;
  let met = 0;
  let unopened = 0;
  let ended = false;

  async function each(directory: Directory, entries: readonly Dirent[], way: readonly string[]): Promise<void> {
    for (const dirent of entries) {
      if (met++ % stride === 0) await setImmediate();
      signal.throwIfAborted();
      const next = [...way, dirent.name];
      const onward = await meet(directory, next, entryType(dirent));
      if (onward === 'on' && dirent.isDirectory()) await enter(directory, next);
      if (ended) return;
    }
  }

  async function meet(directory: Directory, way: readonly string[], type: EntryType): Promise<Onward> {
    const name = way.at(-1) ?? '.';
    const absolute = join(directory.path, name);
    if (isPrivatePath(absolute, privatePlaces)) return 'over';
    const entry = { directory, name, path: shown(absolute), privatePlaces };
    const onward = await visit({
      path: entry.path,
      way,
      type,
      size: async () => (await unless(['ENOENT'], lstat(directory.at(name))))?.size,
      read: (limit) =>
        readWhole(entry, limit).catch((cause: unknown) => {
          throw explain(cause, entry.path);
        }),
    });
    if (onward === 'end') ended = true;
    return onward;
  }

  async function enter(directory: Directory, way: readonly string[]): Promise<void> {
    await using inner = way.length < mostLevels ? await orNothing(directory.enter(way.at(-1) ?? '.')) : undefined;
    if (inner !== undefined && (await isPrivateDirectory(inner, privatePlaces))) return;
    const entries = inner && (await orNothing(inner.entries()));
    if (inner === undefined || entries === undefined) unopened += 1;
    else await each(inner, entries, way);
  }

  const type = name === '.' ? 'directory' : entryType(await lstat(start.at(name)));
  if (type !== 'directory') await meet(start, [name], type);
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

export type EntryType = 'directory' | 'file' | 'link' | 'other';

/** The type of the entry itself: links are not followed. */
function entryType(found: Stats | Dirent): EntryType {
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}
