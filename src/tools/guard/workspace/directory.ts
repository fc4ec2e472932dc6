/**
 * Directories that are held open while something is done in them, so that nobody can exchange them for links meanwhile.
 * Linux reaches a name in an open directory by `/proc/self/fd`. Elsewhere the path is used, and checked after opening.
 */
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from './private-places.ts';
import { errorCode, unless, WorkspaceError } from './workspace-error.ts';

export class Directory {
  /** Where it stood when it was opened: an absolute path without links. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #byHandle: boolean;

  private constructor(path: string, handle: FileHandle, byHandle: boolean) {
    this.path = path;
    this.#handle = handle;
    this.#byHandle = byHandle;
  }

  /**
   * Opens the path, which must be a directory and free of links. `byHandle`: the system has `/proc/self/fd`.
   * `openPath`: by which path it is reached, if by another one.
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

  /** A path to the name in this very directory. Valid while it is open. */
  at(name: string): string {
    return join(this.self, name);
  }

  get self(): string {
    return this.#byHandle ? `/proc/self/fd/${this.#handle.fd}` : this.path;
  }

  /** Its entries, sorted by name. Throws if it was exchanged meanwhile. */
  async entries(): Promise<readonly Dirent[]> {
    const entries = await readdir(this.self, { withFileTypes: true });
    if (!this.#byHandle) await isAt(this.#handle, this.path, this.#byHandle);
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Opens a directory in this one; undefined if the name is a link, or something else than a directory. */
  async enter(name: string): Promise<Directory | undefined> {
    return unless(['ENOTDIR', 'ELOOP'], Directory.open(join(this.path, name), this.#byHandle, this.at(name)));
  }

  async make(name: string): Promise<void> {
    await unless(['EEXIST'], mkdir(this.at(name)));
  }

  /** The target of the link of this name; undefined if it is no link, or not there. */
  async link(name: string): Promise<string | undefined> {
    return unless(['EINVAL', 'ENOENT'], readlink(this.at(name)));
  }

  /** Throws unless the open file is the one that stands under the name in this directory. */
  async confirm(name: string, file: FileHandle): Promise<void> {
    await isAt(file, join(this.path, name), this.#byHandle);
  }

  /** A path to an open file of this directory: to exactly that file where the system has such paths. */
  pathOf(name: string, file: FileHandle): string {
    return this.#byHandle ? `/proc/self/fd/${file.fd}` : join(this.path, name);
  }

  async identity(): Promise<Identity> {
    return this.#handle.stat();
  }

  /** A rename in it survives a power cut after this. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Throws unless what is open stands at the path, and no part of the path is a link. */
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
