import { existsSync } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { formatSize } from '../../text.ts';
import { addFile, writeAtomically } from './atomic-write.ts';
import { look, type OpeningRules, readWhole, refuseUnlessOwn, withOpenFile } from './open-file.ts';
import type { PrivatePlaces, WalkOptions } from './private-places.ts';
import { entryType, type Visit, walkTree } from './tree.ts';
import { type Place, withDirectory, withPlace } from './walk.ts';
import { errorCode, explain, quotePath, unless, WorkspaceError } from './workspace-error.ts';

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
      prepare: () => at('.', options, false, async () => {}),
      /** The whole file. Only regular files are read. */
      read: (path: string) =>
        at(path, options, false, (place, places) => {
          const opening = { path, limit: maxRead, places };
          return withOpenFile(place, opening, (open) => readWhole(open, opening));
        }),
      /** Holds a regular file of at most `maxBytes` open for the work, which reads it by the given path. */
      withFile: <Result>(path: string, maxBytes: number, work: (file: HeldFile) => Promise<Result>) =>
        at(path, options, false, (place, places) =>
          withOpenFile(place, { path, limit: maxBytes, places }, ({ file, size }) =>
            work({ path: place.directory.pathOf(place.name, file), name: place.name, size }),
          ),
        ),
      /** The target of the path, links followed, relative to the folder. */
      locate: (path: string) =>
        at(path, options, false, async ({ directory, name }) => shown(join(directory.path, name))),
      /** At most `limit` entries, sorted by name, and the total number. */
      list: (path: string, limit: number) => at(path, options, false, (place) => list(place, limit)),
      /** Removes the oldest files until `most` are left. Does nothing if the folder is missing or behind a link. */
      keepNewest: (path: string, most: number) => keepNewest(path, options, most),
      /** Visits everything below the path, one entry after another: see `walkTree`. */
      walk: (path: string, visit: Visit, signal: AbortSignal) =>
        at(path, options, false, (place, places) => walkTree(place, { root, places, signal }, visit)),
      /** Adds a file that only its owner can read, without overwriting: see `addFile`. Resolves with its path. */
      add: (path: string, bytes: Uint8Array) =>
        at(path, options, true, async (place) => shown(join(place.directory.path, await addFile(place, bytes)))),
      /** Replaces or creates the file atomically. Creates missing directories on the way. */
      async write(path: string, content: string) {
        const bytes = Buffer.from(content);
        if (bytes.length > maxWrite) {
          throw new WorkspaceError(
            `${formatSize(bytes.length)} is too much for one file: at most ${formatSize(maxWrite)} can be written.`,
          );
        }
        return at(path, options, true, (place, places) => write(place, { path, places }, bytes));
      },
    };
  };
}

function hasOpenFilePaths(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

async function at<Result>(
  path: string,
  options: WalkOptions,
  create: boolean,
  work: (place: Place, places: PrivatePlaces) => Promise<Result>,
): Promise<Result> {
  try {
    return await withPlace(path, { ...options, create }, work);
  } catch (cause) {
    throw explain(cause, path);
  }
}

async function write(place: Place, { path, places }: Omit<OpeningRules, 'limit'>, bytes: Buffer) {
  const existing = await unless(['ENOENT'], look(place, path));
  if (existing !== undefined) {
    refuseUnlessOwn(existing, { path, places }, 'written. Write to a new file.');
    if ((existing.mode & 0o222) === 0) throw new WorkspaceError(`${quotePath(path)} is read-only.`);
  }
  await writeAtomically(place, bytes, existing === undefined ? undefined : existing.mode & 0o777);
  return { created: existing === undefined, size: bytes.length };
}

async function keepNewest(path: string, options: WalkOptions, most: number): Promise<void> {
  const work = at(join(path, 'any'), options, false, async ({ directory }) => {
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
