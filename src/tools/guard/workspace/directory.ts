/**
 * Directories that are held open while they are used, so that nobody can swap them for links. Linux reaches a name in
 * an open directory through `/proc/self/fd`. Elsewhere the path is used, and checked after opening.
 */
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from './private-places.ts';
import { errorCode, unless, WorkspaceError } from './workspace-error.ts';

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
