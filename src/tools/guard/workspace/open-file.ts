import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { formatSize } from '../../text.ts';
import { type Directory, isPrivateIdentity, type Place, type PrivatePlaces, privateRefusal } from './place.ts';
import { errorCode, quotePath, unless, WorkspaceError } from './workspace-error.ts';

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

/**
 * Writes the bytes to a new file beside the place, and renames it when all is on the disk. A reader sees the old
 * content or the new, even after a power cut. A link of that name is replaced, not followed. A failure leaves no file.
 */
export async function writeAtomically(place: Place, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const { directory, name } = place;
  await withPassingFile(place, bytes, mode, (passing) => rename(directory.at(passing), directory.at(name)));
}

async function withPassingFile<Result>(
  { directory }: Place,
  bytes: Uint8Array,
  mode: number | undefined,
  finish: (passing: string) => Promise<Result>,
): Promise<Result> {
  const passing = `.keyturn-${randomBytes(9).toString('base64url')}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(directory.at(passing), flags, mode ?? 0o666);
  let result: Result;
  try {
    try {
      await directory.confirm(passing, file);
      // The umask has restricted the mode of open().
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    result = await finish(passing);
  } catch (cause) {
    await unless(['ENOENT'], unlink(directory.at(passing)));
    throw cause;
  }
  await directory.sync();
  return result;
}

/** Takes the name if it is free. A rename would replace an existing file; a link does not. */
async function publish({ directory, name }: Place, passing: string): Promise<boolean> {
  const [from, to] = [directory.at(passing), directory.at(name)];
  try {
    await link(from, to);
  } catch (cause) {
    const hasLinks = !noLinks.includes(errorCode(cause) ?? '');
    if (hasLinks && errorCode(cause) !== 'EEXIST') throw cause;
    const isFree = !hasLinks && (await unless(['ENOENT'], lstat(to))) === undefined;
    await (isFree ? rename(from, to) : unlink(from));
    return isFree;
  }
  await unlink(from);
  return true;
}

/** The errors of file systems without hard links. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Adds a file that only its owner can read and nobody can execute. Never overwrites: if the name is taken, the file
 * gets a number. A file with the same content is reused. Resolves with the final name.
 */
export async function addFile({ directory, name: wanted }: Place, bytes: Uint8Array): Promise<string> {
  for (let number = 1; number <= mostNumbers; number += 1) {
    const name = numbered(wanted, number);
    const found = await lookAt(directory, name, bytes);
    if (found === 'same') return name;
    if (found !== 'free') continue;
    const place = { directory, name };
    if (await withPassingFile(place, bytes, 0o600, (passing) => publish(place, passing))) return name;
  }
  throw new WorkspaceError(`There are too many files named like ${quotePath(wanted)}. Move some of them away.`);
}

const mostNumbers = 100;

/** `report.pdf` becomes `report-2.pdf`. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const dot = name.lastIndexOf('.');
  const end = dot <= 0 ? name.length : dot;
  return `${name.slice(0, end)}-${number}${name.slice(end)}`;
}

async function lookAt(directory: Directory, name: string, bytes: Uint8Array): Promise<'free' | 'same' | 'taken'> {
  let file: FileHandle;
  try {
    // Non-blocking: to open a pipe would wait for a writer.
    file = await open(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const code = errorCode(cause) ?? '';
    if (code === 'ENOENT') return 'free';
    // A link, a socket, or an unreadable file.
    if (['ELOOP', 'ENXIO', 'EACCES', 'EPERM'].includes(code)) return 'taken';
    throw cause;
  }
  try {
    const found = await file.stat();
    // No tool reads a file with a second hard link, which a crash while adding one leaves.
    if (!found.isFile() || found.size !== bytes.length || found.nlink > 1) return 'taken';
    return (await file.readFile()).equals(bytes) ? 'same' : 'taken';
  } finally {
    await file.close();
  }
}
