import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { formatSize } from '../../text.ts';
import { writeAtomically } from './atomic-write.ts';
import { addFile } from './new-file.ts';
import { type Place, type WalkOptions, withPlace } from './walk.ts';
import { explain, quotePath, unless, WorkspaceError } from './workspace-error.ts';

export interface WorkspaceLimits {
  /** In bytes. Default 10 MB. */
  readonly maxRead?: number;
  /** In bytes. Default 10 MB. */
  readonly maxWrite?: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly type: 'directory' | 'file' | 'link' | 'other';
  /** In bytes. */
  readonly size: number;
}

/** A folder that tools work in, and cannot get out of. Every method throws `WorkspaceError` in words for the model. */
export interface Workspace {
  /** The largest file that can be written, in bytes. */
  readonly maxWrite: number;
  /** Makes the folder if it is missing. */
  prepare(): Promise<void>;
  /** The whole file. Only regular files are read. */
  read(path: string): Promise<Buffer>;
  /** Replaces or creates the file, as one act: it is never half written. Directories on the way are made. */
  write(path: string, content: string): Promise<{ readonly created: boolean; readonly size: number }>;
  /**
   * Adds a file that only its owner can read, and overwrites nothing: see `addFile`. Resolves with its path, relative to
   * the folder.
   */
  add(path: string, bytes: Uint8Array): Promise<string>;
  /** The entries sorted by name, at most `limit` of them, and how many there are. */
  list(path: string, limit: number): Promise<{ readonly entries: readonly DirectoryEntry[]; readonly total: number }>;
}

/** Makes the guard of a folder: an absolute path without links. */
export type WorkspaceFactory = (root: string) => Workspace;

/** Guards with these limits. What they refuse, no approval opens. */
export function workspaces(limits: WorkspaceLimits = {}, byHandle: boolean = hasOpenFilePaths()): WorkspaceFactory {
  const { maxRead = 10 * 2 ** 20, maxWrite = 10 * 2 ** 20 } = limits;
  return (root) => {
    const options = { root, byHandle };
    return {
      maxWrite,
      prepare: () => at('.', options, false, async () => {}),
      read: (path) => at(path, options, false, (place) => read(place, path, maxRead)),
      list: (path, limit) => at(path, options, false, (place) => list(place, limit)),
      add: (path, bytes) =>
        at(path, options, true, async (place) =>
          relative(root, join(place.directory.path, await addFile(place, bytes))).replaceAll(sep, '/'),
        ),
      async write(path, content) {
        const bytes = Buffer.from(content);
        if (bytes.length > maxWrite) {
          throw new WorkspaceError(
            `${formatSize(bytes.length)} is too much for one file: at most ${formatSize(maxWrite)} can be written.`,
          );
        }
        return at(path, options, true, (place) => write(place, path, bytes));
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
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  try {
    return await withPlace(path, { ...options, create }, work);
  } catch (cause) {
    throw explain(cause, path);
  }
}

async function read({ directory, name }: Place, path: string, limit: number): Promise<Buffer> {
  refuseUnlessRegular(await lstat(directory.at(name)), path);
  // Not blocking: a pipe that took the file's place would hold the open until somebody writes to it.
  const file = await open(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await directory.confirm(name, file);
    const found = await file.stat();
    refuseUnlessRegular(found, path);
    const bytes = await readUpTo(file, limit + 1, found.size);
    if (bytes.length <= limit) return bytes;
    throw new WorkspaceError(
      `${quotePath(path)} is too large to read: ${formatSize(found.size)}, at most ${formatSize(limit)}.`,
    );
  } finally {
    await file.close();
  }
}

/** Reads to the end, but not beyond the limit: the file may grow meanwhile. */
async function readUpTo(file: FileHandle, limit: number, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < limit) {
    const wanted = Math.min(limit - length, Math.max(size - length + 1, 65_536));
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks);
}

async function write(place: Place, path: string, bytes: Buffer): Promise<{ created: boolean; size: number }> {
  const { directory, name } = place;
  const existing = await unless(['ENOENT'], lstat(directory.at(name)));
  if (existing !== undefined) {
    refuseUnlessRegular(existing, path);
    if (existing.nlink > 1) {
      throw new WorkspaceError(
        `${quotePath(path)} has another name elsewhere (a hard link), so it cannot be written. Write to a new file.`,
      );
    }
    if ((existing.mode & 0o222) === 0) throw new WorkspaceError(`${quotePath(path)} is read-only.`);
  }
  await writeAtomically(place, bytes, existing === undefined ? undefined : existing.mode & 0o777);
  return { created: existing === undefined, size: bytes.length };
}

function refuseUnlessRegular(found: Stats, path: string): void {
  if (found.isFile()) return;
  if (found.isDirectory()) throw new WorkspaceError(`${quotePath(path)} is a directory, not a file.`);
  if (found.isSymbolicLink())
    throw new WorkspaceError(`${quotePath(path)} was exchanged for a link while it was opened. Try again.`);
  throw new WorkspaceError(
    `${quotePath(path)} is not a regular file (a device, pipe or socket), so it cannot be used.`,
  );
}

async function list({ directory, name }: Place, limit: number): ReturnType<Workspace['list']> {
  const inner = name === '.' ? undefined : await directory.enter(name);
  if (inner === undefined && name !== '.')
    throw new WorkspaceError(`"${name}" is not a directory. To read a file, use read_file.`);
  const opened = inner ?? directory;
  try {
    const names = (await readdir(opened.self)).sort();
    const entries = await Promise.all(
      names.slice(0, limit).map((entry) => unless(['ENOENT'], describe(opened.at(entry), entry))),
    );
    return { entries: entries.filter((entry) => entry !== undefined), total: names.length };
  } finally {
    await inner?.close();
  }
}

async function describe(path: string, name: string): Promise<DirectoryEntry> {
  const found = await lstat(path);
  return { name, type: typeOf(found), size: found.size };
}

function typeOf(found: Stats): DirectoryEntry['type'] {
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}
