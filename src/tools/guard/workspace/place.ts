import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  absent,
  errorCode,
  explain,
  quotePath,
  unless,
  type WorkspaceError,
  workspaceError,
} from './workspace-error.ts';

/** A name in an open directory, with all links on the way resolved. The name may not exist. */
export interface Place {
  readonly directory: Directory;
  /** `.` if the place is the workspace itself. */
  readonly name: string;
  /** The path that was asked for, for messages. */
  readonly path: string;
  readonly isPrivate: PrivatePlaces;
}

export interface WalkOptions {
  /** The workspace: an absolute path without links. */
  readonly root: string;
  /** The system has `/proc/self/fd`, and its names are sensitive to case and normalisation. */
  readonly byHandle: boolean;
  /** Absolute paths of Keyturn's own files and folders, which may not exist yet. */
  readonly privatePaths: readonly string[];
}

/**
 * Finds the place of a path, passes it to the work, and closes its directory afterwards. Resolves links first, then
 * opens one directory after another, so that no link, old or new, leads outside the root. `create`: makes missing
 * directories. Private directories are not entered. Throws `WorkspaceError`, also for an error of the operating system.
 */
export async function withPlace<Result>(
  path: string,
  options: WalkOptions,
  create: boolean,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { root, byHandle } = options;
  try {
    const asked = askedPath(path, root);
    await mkdir(root, { recursive: true });
    if ((await realpath(root)) !== root) throw workspaceError((say) => say.workspaceIsLink);
    const isPrivate = await findPrivatePlaces(options);
    const real = await realPathOf(asked);
    // The same words as for a link to nothing: they must not tell what exists outside.
    if (!contains(root, real)) throw astray(path);
    const names = relative(root, real).split(sep);
    let directory = await openDirectory(root, byHandle);
    try {
      for (const name of names.slice(0, -1)) {
        await refuse(directory, name, path, isPrivate);
        if (create) await unless(['EEXIST'], mkdir(directory.at(name)));
        const next = await enter(directory, name);
        if (next === undefined) throw workspaceError((say) => say.underName({ path: quotePath(path), name }));
        await directory.close();
        directory = next;
      }
      const name = names.at(-1) || '.';
      await refuse(directory, name, path, isPrivate);
      return await work({ directory, name, path, isPrivate });
    } finally {
      await directory.close();
    }
  } catch (cause) {
    throw explain(cause, path);
  }
}

/** The absolute path, if its text does not lead outside. */
function askedPath(path: string, root: string): string {
  if (path.trim() === '') throw workspaceError((say) => say.emptyPath);
  if (path.includes('\0')) throw workspaceError((say) => say.nulInPath);
  const quoted = { path: quotePath(path) };
  const absolute = resolve(root, path);
  // Longer ones could be created step by step, but not removed.
  if (Buffer.byteLength(absolute) >= longestPath) throw workspaceError((say) => say.pathTooLong(quoted));
  if (contains(root, absolute) && !/^~[^/]*(?:\/|$)/.test(path)) return absolute;
  throw workspaceError((say) => say.outside(quoted));
}

/** In bytes, as on most systems. */
const longestPath = 4096;

/** Throws if the directory or the name in it is private, or if the name is a link: all that lead somewhere are resolved. */
async function refuse(directory: Directory, name: string, path: string, isPrivate: PrivatePlaces): Promise<void> {
  // The directory by its identity: it may have another name.
  if (isPrivate.file(await directory.stat()) || isPrivate.path(join(directory.path, name))) throw privateRefusal(path);
  if ((await unless(['EINVAL', 'ENOENT'], readlink(directory.at(name)))) !== undefined) throw astray(path);
}

export function astray(path: string): WorkspaceError {
  return workspaceError((say) => say.astray({ path: quotePath(path) }));
}

/**
 * A directory that is held open while it is used, so that nobody can swap it for a link. Linux reaches a name in an open
 * directory through `/proc/self/fd`. Elsewhere the path is used, and checked after opening.
 */
export interface Directory extends AsyncDisposable {
  /** Where it was when it was opened: an absolute path without links. */
  readonly path: string;
  /** The system has `/proc/self/fd`. */
  readonly byHandle: boolean;
  /** A path to the name in exactly this directory. Valid while it is open. */
  at(this: void, name: string): string;
  /** A path to an open file of this directory: to exactly that file if the system has such paths. */
  pathOf(name: string, file: FileHandle): string;
  /** Its entries, sorted by name. Throws if it was swapped meanwhile. */
  entries(): Promise<readonly Dirent[]>;
  /** Throws unless the open file is the one at that name. */
  confirm(name: string, file: FileHandle): Promise<void>;
  stat(): Promise<Stats>;
  /** After this, a rename in it survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a directory by its path, which must be free of links. `byHandle`: the system has `/proc/self/fd`. `openPath`:
 * another path to reach it by.
 */
async function openDirectory(path: string, byHandle: boolean, openPath = path): Promise<Directory> {
  const handle = await open(openPath, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const close = (): Promise<void> => handle.close();
  try {
    await isAt(handle, path, byHandle);
  } catch (cause) {
    await close();
    throw cause;
  }
  const pathOf = (name: string, file: FileHandle): string => (byHandle ? `/proc/self/fd/${file.fd}` : join(path, name));
  const self = pathOf('.', handle);
  return {
    path,
    byHandle,
    at: (name) => `${self}/${name}`,
    pathOf,
    async entries() {
      const entries = await readdir(self, { withFileTypes: true });
      if (!byHandle) await isAt(handle, path, byHandle);
      return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    },
    confirm: (name, file) => isAt(file, join(path, name), byHandle),
    stat: () => handle.stat(),
    sync: () => handle.sync(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Opens a directory in the directory; undefined if the name is a link or not a directory. */
export function enter({ path, byHandle, at }: Directory, name: string): Promise<Directory | undefined> {
  return unless(['ENOTDIR', 'ELOOP'], openDirectory(join(path, name), byHandle, at(name)));
}

/** Throws unless the open file is at the path, and no part of the path is a link. */
async function isAt(file: FileHandle, path: string, byHandle: boolean): Promise<void> {
  const found = byHandle ? await readlink(`/proc/self/fd/${file.fd}`) : await isSame(file, path);
  if (found !== path) throw workspaceError((say) => say.changed);
}

async function isSame(file: FileHandle, path: string): Promise<string | undefined> {
  try {
    const [opened, there, real] = await Promise.all([file.stat(), lstat(path), realpath(path)]);
    return opened.dev === there.dev && opened.ino === there.ino ? real : undefined;
  } catch (cause) {
    if (errorCode(cause) === undefined) throw cause;
    return undefined;
  }
}

/** Keyturn's own files and folders that a workspace could reach, as they are on the disk now. */
export interface PrivatePlaces {
  /** Whether the absolute path is private or lies under a private one. */
  path(path: string): boolean;
  /** Whether the file or folder is private, under any name. */
  file(found: Stats): boolean;
}

/** Reads the disk. A private folder that contains the workspace does not make the workspace private. */
export async function findPrivatePlaces({ privatePaths, root, byHandle }: WalkOptions): Promise<PrivatePlaces> {
  // Gives paths that the disk may treat as equal one spelling.
  const fold = (path: string): string => (byHandle ? path : path.normalize('NFC').toLowerCase());
  const reals = await Promise.all(privatePaths.map(realPathOf));
  const paths = [...new Set([...privatePaths, ...reals])].filter((path) => path === root || !contains(path, root));
  const found = await Promise.all(paths.map((path) => unless(absent, stat(path))));
  return {
    path: (path) => paths.some((own) => contains(fold(own), fold(path))),
    file: ({ dev, ino }) => found.some((own) => own?.dev === dev && own.ino === ino),
  };
}

export function privateRefusal(path: string): WorkspaceError {
  return workspaceError((say) => say.isPrivate({ path: quotePath(path) }));
}

/** The path with links resolved, as far as it exists. */
export async function realPathOf(path: string): Promise<string> {
  const real = await unless(absent, realpath(path));
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}

/** Whether the path is the folder, or lies in it. Both are absolute. */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
