import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { formatSize } from '../../text.ts';
import { isPrivateIdentity, type PrivatePlaces, privateRefusal } from './private-places.ts';
import type { Place } from './walk.ts';
import { quotePath, WorkspaceError } from './workspace-error.ts';

export interface OpenFile {
  readonly file: FileHandle;
  readonly size: number;
}

export interface OpeningRules {
  /** Its name in messages. */
  readonly path: string;
  readonly limit: number;
  readonly places: PrivatePlaces;
}

/**
 * Opens a regular file for the duration of the work. Other hard links are refused, and Keyturn's own files. Throws
 * `WorkspaceError`, or the error of the operating system.
 */
export async function withOpenFile<Result>(
  { directory, name }: Place,
  { path, limit, places }: OpeningRules,
  work: (open: OpenFile) => Promise<Result>,
): Promise<Result> {
  refuseUnlessRegular(await look({ directory, name }, path), path);
  // Non-blocking: if a pipe has replaced the file, to open it would wait for a writer.
  const file = await open(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await directory.confirm(name, file);
    const found = await file.stat();
    refuseUnlessOwn(found, { path, places }, 'read. Copy it, and use the copy.');
    if (found.size > limit) throw tooLarge(path, found.size, limit);
    return await work({ file, size: found.size });
  } finally {
    await file.close();
  }
}

/** The whole file. Throws if it has grown beyond the limit. */
export async function readWhole({ file, size }: OpenFile, { path, limit }: OpeningRules): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= limit) {
    const wanted = Math.min(limit + 1 - length, Math.max(size - length + 1, 65_536));
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  throw tooLarge(path, (await file.stat()).size, limit);
}

/** The first bytes of a file, by a path that leads only to it. */
export async function beginningOf(path: string, length: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** The stats of the file. Throws `WorkspaceError` if the place is the workspace itself. */
export async function look({ directory, name }: Place, path: string): Promise<Stats> {
  if (name === '.') throw new WorkspaceError(`${quotePath(path)} is a directory, not a file.`);
  return lstat(directory.at(name));
}

/** Throws `WorkspaceError` unless it is a regular file with one hard link and not Keyturn's: it "cannot be `what`". */
export function refuseUnlessOwn(found: Stats, { path, places }: Omit<OpeningRules, 'limit'>, what: string): void {
  refuseUnlessRegular(found, path);
  if (isPrivateIdentity(found, places)) throw privateRefusal(path);
  if (found.nlink <= 1) return;
  throw new WorkspaceError(`${quotePath(path)} has another name elsewhere (a hard link), so it cannot be ${what}`);
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

function tooLarge(path: string, size: number, limit: number): WorkspaceError {
  return new WorkspaceError(
    `${quotePath(path)} is too large to read: ${formatSize(size)}, at most ${formatSize(limit)}.`,
  );
}
