import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { absent, errorCode, explain, quotePath, unless, WorkspaceError } from './workspace-error.ts';

/** A name in an open directory, with all links on the way resolved. The name may not exist. */
export interface Place {
  readonly directory: Directory;
  /** `.` if the place is the workspace itself. */
  readonly name: string;
  /** The path that was asked for, for messages. */
  readonly path: string;
  readonly privatePlaces: PrivatePlaces;
}

export interface WalkOptions {
  /** The workspace: an absolute path without links. */
  readonly root: string;
  /** The system has `/proc/self/fd`, and its names are sensitive to case and normalisation. */
  readonly byHandle: boolean;
  /** Absolute paths of Keyturn's own files and folders, which may not exist yet. */
  readonly privatePaths: readonly string[];
}

const mostLinks = 40;

/**
 * Finds the place of a path, passes it to the work, and closes its directory afterwards. Opens one directory after
 * another, so that no link, old or new, leads outside the root. `create`: makes missing directories. Private
 * directories are not entered. Throws `WorkspaceError`, also for an error of the operating system.
 */
export async function withPlace<Result>(
  path: string,
  options: WalkOptions,
  create: boolean,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  try {
    let names = namesOf(path, options.root);
    await mkdir(options.root, { recursive: true });
    const privatePlaces = await findPrivatePlaces(options);
    for (let links = 0; links <= mostLinks; links++) {
      const step = await go(names, path, create, { ...options, privatePlaces });
      if ('detour' in step) {
        names = step.detour;
        continue;
      }
      await using directory = step.directory;
      return await work({ directory, name: step.name, path, privatePlaces });
    }
  } catch (cause) {
    throw explain(cause, path);
  }
  throw new WorkspaceError(`${quotePath(path)} leads through too many links.`);
}

/** Opens the directory at a place for the duration of the work, which gets undefined if there is no directory. */
export async function withDirectory<Result>(
  { directory, name }: Pick<Place, 'directory' | 'name'>,
  work: (directory: Directory | undefined) => Promise<Result>,
): Promise<Result> {
  if (name === '.') return work(directory);
  await using inner = await directory.enter(name);
  return await work(inner);
}

/** The path's names below the root, from its text alone. */
function namesOf(path: string, root: string): readonly string[] {
  if (path.trim() === '')
    throw new WorkspaceError('The path is empty. Give a path in the workspace, such as "notes.txt" or ".".');
  if (path.includes('\0')) throw new WorkspaceError('The path contains a NUL character, which no file name can.');
  if (/^~[^/]*(?:\/|$)/.test(path)) throw outside(path);
  const absolute = resolve(root, path);
  // Longer ones could be created step by step, but not removed.
  if (Buffer.byteLength(absolute) >= longestPath) throw new WorkspaceError(`${quotePath(path)} is too long a path.`);
  return below(absolute, root, path);
}

/** In bytes, as on most systems. */
const longestPath = 4096;

function below(absolute: string, root: string, path: string): readonly string[] {
  const way = relative(root, absolute);
  if (way === '') return [];
  const names = way.split(sep);
  if (isAbsolute(way) || names[0] === '..') throw outside(path);
  return names;
}

function outside(path: string): WorkspaceError {
  return new WorkspaceError(
    `${quotePath(path)} is outside the workspace. Only files in the workspace can be used: give a path relative to it.`,
  );
}

/** Arrives, or meets a link: then the walk must start again with its target. */
async function go(
  names: readonly string[],
  path: string,
  create: boolean,
  { root, byHandle, privatePlaces }: Pick<Place, 'privatePlaces'> & WalkOptions,
): Promise<Pick<Place, 'directory' | 'name'> | { readonly detour: readonly string[] }> {
  if ((await realpath(root)) !== root) {
    throw new WorkspaceError('The workspace folder was exchanged for a link. Tell the operator.');
  }
  let directory = await Directory.open(root, byHandle);
  try {
    for (const [index, name] of names.entries()) {
      // By its identity: it may have another name.
      if (await isPrivateDirectory(directory, privatePlaces)) throw privateRefusal(path);
      if (isPrivatePath(join(directory.path, name), privatePlaces)) throw privateRefusal(path);
      const rest = names.slice(index + 1);
      const target = await directory.link(name);
      if (target !== undefined) {
        const detour = [...below(resolve(directory.path, target), root, path), ...rest];
        // A write must not create the target of a dangling link.
        if (create && (await unless(['ENOENT', 'ELOOP'], stat(directory.at(name)))) === undefined)
          throw new WorkspaceError(
            `${quotePath(path)} is, or lies under, a link that points to nothing, so it cannot be written.`,
          );
        await directory.close();
        return { detour };
      }
      if (rest.length === 0) return { directory, name };
      if (create) await directory.make(name);
      const next = await directory.enter(name);
      if (next === undefined)
        throw new WorkspaceError(`${quotePath(path)} lies under "${name}", which is not a directory.`);
      await directory.close();
      directory = next;
    }
    if (await isPrivateDirectory(directory, privatePlaces)) throw privateRefusal(path);
    return { directory, name: '.' };
  } catch (cause) {
    await directory.close();
    throw cause;
  }
}

/**
 * A directory that is held open while it is used, so that nobody can swap it for a link. Linux reaches a name in an open
 * directory through `/proc/self/fd`. Elsewhere the path is used, and checked after opening.
 */
export class Directory {
  /** Where it was when it was opened: an absolute path without links. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #byHandle: boolean;

  private constructor(path: string, handle: FileHandle, byHandle: boolean) {
    this.path = path;
    this.#handle = handle;
    this.#byHandle = byHandle;
  }

  /**
   * Opens a directory by its path, which must be free of links. `byHandle`: the system has `/proc/self/fd`. `openPath`:
   * another path to reach it by.
   */
  static async open(path: string, byHandle: boolean, openPath: string = path): Promise<Directory> {
    const handle = await open(openPath, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      await isAt(handle, path, byHandle);
      return new Directory(path, handle, byHandle);
    } catch (cause) {
      await handle.close();
      throw cause;
    }
  }

  /** A path to the name in exactly this directory. Valid while it is open. */
  at(name: string): string {
    return join(this.self, name);
  }

  get self(): string {
    return this.#byHandle ? `/proc/self/fd/${this.#handle.fd}` : this.path;
  }

  /** Its entries, sorted by name. Throws if it was swapped meanwhile. */
  async entries(): Promise<readonly Dirent[]> {
    const entries = await readdir(this.self, { withFileTypes: true });
    if (!this.#byHandle) await isAt(this.#handle, this.path, this.#byHandle);
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Opens a directory in this one; undefined if the name is a link or not a directory. */
  async enter(name: string): Promise<Directory | undefined> {
    return unless(['ENOTDIR', 'ELOOP'], Directory.open(join(this.path, name), this.#byHandle, this.at(name)));
  }

  async make(name: string): Promise<void> {
    await unless(['EEXIST'], mkdir(this.at(name)));
  }

  /** The target of the link; undefined if the name is not a link, or missing. */
  async link(name: string): Promise<string | undefined> {
    return unless(['EINVAL', 'ENOENT'], readlink(this.at(name)));
  }

  /** Throws unless the open file is the one at that name. */
  async confirm(name: string, file: FileHandle): Promise<void> {
    await isAt(file, join(this.path, name), this.#byHandle);
  }

  /** A path to an open file of this directory: to exactly that file if the system has such paths. */
  pathOf(name: string, file: FileHandle): string {
    return this.#byHandle ? `/proc/self/fd/${file.fd}` : join(this.path, name);
  }

  async identity(): Promise<Identity> {
    return this.#handle.stat();
  }

  /** After this, a rename in it survives a power cut. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Throws unless the open file is at the path, and no part of the path is a link. */
async function isAt(file: FileHandle, path: string, byHandle: boolean): Promise<void> {
  const found = byHandle ? await readlink(`/proc/self/fd/${file.fd}`) : await isSame(file, path);
  if (found !== path) throw new WorkspaceError('The path was changed by somebody else while it was opened. Try again.');
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

/** Identifies a file or directory on a disk, regardless of its name. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** Keyturn's own files and folders that a workspace could reach, as they are on the disk now. */
export interface PrivatePlaces {
  readonly paths: readonly string[];
  readonly identities: readonly Identity[];
  /** Gives paths that the disk may treat as equal one spelling. */
  readonly fold: (path: string) => string;
}

/** Reads the disk. A private folder that contains the workspace does not make the workspace private. */
async function findPrivatePlaces({ privatePaths, root, byHandle }: WalkOptions): Promise<PrivatePlaces> {
  const fold = (path: string): string => (byHandle ? path : path.normalize('NFC').toLowerCase());
  const reals = await Promise.all(privatePaths.map(realPathOf));
  const paths = [...new Set([...privatePaths, ...reals])].filter((path) => path === root || !contains(path, root));
  const found = await Promise.all(paths.map((path) => unless(absent, stat(path))));
  return { paths: paths.map(fold), identities: found.filter((each) => each !== undefined), fold };
}

/** Whether the absolute path is private or lies under a private one. */
export function isPrivatePath(path: string, { paths, fold }: PrivatePlaces): boolean {
  const folded = fold(path);
  return paths.some((own) => contains(own, folded));
}

/** Whether it is private, under any name. */
export function isPrivateIdentity({ dev, ino }: Identity, { identities }: PrivatePlaces): boolean {
  return identities.some((own) => own.dev === dev && own.ino === ino);
}

export async function isPrivateDirectory(directory: Directory, places: PrivatePlaces): Promise<boolean> {
  return places.identities.length > 0 && isPrivateIdentity(await directory.identity(), places);
}

export function privateRefusal(path: string): WorkspaceError {
  return new WorkspaceError(
    `${quotePath(path)} belongs to Keyturn itself (its config, its secrets or its data), so no tool can use it.`,
  );
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
