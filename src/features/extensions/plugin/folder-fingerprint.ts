import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { oneLine } from '../../../lib/plain-text.ts';
import { errorCode } from '../../../tools/guard/workspace/workspace-error.ts';

/** A folder with all that is in it, as it was when it was read. */
export interface FingerprintedFolder {
  /** SHA-256 of the names, the modes and the contents of all that is in it, as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Its regular files, by their paths in it with slashes. */
  readonly files: ReadonlyMap<string, FingerprintedFile>;
  /** What stood in the file that was asked for, if it was there: exactly the bytes that the fingerprint is of. */
  readonly content: Buffer | undefined;
}

export interface FingerprintedFile {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly isExecutable: boolean;
}

export interface FingerprintLimits {
  /** Files, folders and links together. Default 10,000. */
  readonly maxEntries?: number;
  /** All files together, in bytes. Default 200 MB. */
  readonly maxBytes?: number;
}

/** A folder is not one that can be pinned. The message says why, after the name of the folder. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** How much of a file is read at once, in bytes. */
const chunkSize = 2 ** 18;

/** The largest file whose content is kept, in bytes. */
const mostKept = 2 ** 20;

/**
 * Reads a folder, an absolute path without links, and says what it is by a fingerprint: any change to a name, a mode or a
 * content makes it another one. Links may lead to what is in the folder. Rejects with `FolderError` if one leads out of
 * it, if there is anything but files, folders and links, or too much. `keep` names a file whose content is wanted.
 */
export async function fingerprintFolder(
  folder: string,
  { keep, maxEntries = 10_000, maxBytes = 200 * 2 ** 20 }: FingerprintLimits & { readonly keep?: string } = {},
): Promise<FingerprintedFolder> {
  const walk: Walk = { folder, keep, maxEntries, maxBytes, hash: createHash('sha256'), files: new Map() };
  const read: Tally = { entries: 0, bytes: 0, content: undefined };
  await addFolder(walk, read, '');
  return { fingerprint: walk.hash.digest('hex'), files: walk.files, content: read.content };
}

interface Walk {
  readonly folder: string;
  readonly keep: string | undefined;
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly hash: Hash;
  readonly files: Map<string, FingerprintedFile>;
}

/** What was read so far. */
interface Tally {
  entries: number;
  bytes: number;
  content: Buffer | undefined;
}

async function addFolder(walk: Walk, read: Tally, path: string): Promise<void> {
  const names = await present(path, readdir(join(walk.folder, path)));
  // By their code units, so that the order is the same on every machine.
  for (const name of names.sort()) await addEntry(walk, read, path === '' ? name : `${path}/${name}`);
}

async function addEntry(walk: Walk, read: Tally, path: string): Promise<void> {
  read.entries += 1;
  if (read.entries > walk.maxEntries) throw new FolderError(`contains more than ${walk.maxEntries} files and folders`);
  if (path.includes('\ufffd')) throw new FolderError(`contains ${quoted(path)}, whose name is not UTF-8`);
  const found = await present(path, lstat(join(walk.folder, path)));
  const mode = found.mode & 0o7777;
  if (found.isSymbolicLink()) return record(walk, ['link', path, await targetOf(walk, path)]);
  if (found.isDirectory()) {
    record(walk, ['folder', path, mode]);
    return addFolder(walk, read, path);
  }
  if (!found.isFile()) throw new FolderError(`contains ${quoted(path)}, which is neither a file, a folder nor a link`);
  await addFile(walk, read, path);
}

/** Unambiguous whatever the names contain. */
function record({ hash }: Walk, parts: readonly (string | number)[]): void {
  hash.update(`${JSON.stringify(parts)}\n`);
}

async function targetOf({ folder }: Walk, path: string): Promise<string> {
  const target = await present(path, readlink(join(folder, path)));
  const real = await present(path, realpath(join(folder, path)));
  const way = relative(folder, real);
  if (way === '..' || way.startsWith(`..${sep}`))
    throw new FolderError(`contains the link ${quoted(path)}, which leads out of it`);
  return target;
}

async function addFile(walk: Walk, read: Tally, path: string): Promise<void> {
  // A pipe that took its place would else be waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await present(path, open(join(walk.folder, path), flags));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new FolderError(`was changed while it was read: ${quoted(path)}`);
    const isKept = path === walk.keep;
    const { sha256, size, content } = await digest(file, { isKept, room: walk.maxBytes - read.bytes, walk });
    read.bytes += size;
    if (isKept) read.content = content;
    const mode = found.mode & 0o7777;
    record(walk, ['file', path, mode, size, sha256]);
    walk.files.set(path, { sha256, size, isExecutable: (mode & 0o111) !== 0 });
  } finally {
    await file.close();
  }
}

async function digest(
  file: FileHandle,
  { isKept, room, walk }: { readonly isKept: boolean; readonly room: number; readonly walk: Walk },
): Promise<{ readonly sha256: string; readonly size: number; readonly content: Buffer }> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(chunkSize);
  const kept: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return { sha256: hash.digest('hex'), size, content: Buffer.concat(kept) };
    size += bytesRead;
    if (size > room) throw new FolderError(`contains more than ${Math.floor(walk.maxBytes / 2 ** 20)} MB`);
    hash.update(chunk.subarray(0, bytesRead));
    if (isKept && size > mostKept) throw new FolderError(`has a ${walk.keep} of more than 1 MB`);
    if (isKept) kept.push(Buffer.from(chunk.subarray(0, bytesRead)));
  }
}

/** If it changes while it is read, the caller must try again. */
async function present<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    const what = path === '' ? `cannot be read (${code})` : `contains ${quoted(path)}, which cannot be read (${code})`;
    throw new FolderError(what, { cause });
  }
}

function quoted(path: string): string {
  return `"${oneLine(path, 200)}"`;
}
