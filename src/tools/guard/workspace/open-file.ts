import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rmdir, unlink } from 'node:fs/promises';
import { formatSize } from '../../text.ts';
import { type Place, privateRefusal } from './place.ts';
import { errorCode, quotePath, unless, WorkspaceError, workspaceError } from './workspace-error.ts';

/**
 * Opens a regular file of at most `limit` bytes for the duration of the work. Other hard links are refused, and
 * Keyturn's own files. Throws `WorkspaceError`, or the error of the operating system.
 */
export async function withOpenFile<Result>(
  place: Place,
  limit: number,
  work: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  const { directory, name } = place;
  refuseUnlessRegular(await look(place), place);
  // Non-blocking: if a pipe has replaced the file, to open it would wait for a writer.
  await using file = await open(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  await directory.confirm(name, file);
  const found = await file.stat();
  refuseUnlessOwn(found, place, true);
  if (found.size > limit) throw tooLarge(place, found.size, limit);
  return await work(file, found.size);
}

/** The whole file. Throws if it grows beyond the limit meanwhile. */
export function readWhole(place: Place, limit: number): Promise<Buffer> {
  return withOpenFile(place, limit, async (file, size) => {
    const chunks: Buffer[] = [];
    let length = 0;
    while (length <= limit) {
      const wanted = Math.min(limit + 1 - length, Math.max(size - length + 1, 65_536));
      const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, null);
      if (bytesRead === 0) return Buffer.concat(chunks);
      chunks.push(buffer.subarray(0, bytesRead));
      length += bytesRead;
    }
    throw tooLarge(place, (await file.stat()).size, limit);
  });
}

/** The first bytes of a file, by a path that leads only to it. */
export async function beginningOf(path: string, length: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** The stats of the file. Throws `WorkspaceError` if the place is the workspace itself. */
async function look({ directory, name, path }: Place): Promise<Stats> {
  if (name === '.') throw workspaceError((say) => say.folderNotFile({ path: quotePath(path) }));
  return lstat(directory.at(name));
}

/** Throws `WorkspaceError` unless it is a regular file with one hard link and not Keyturn's. `toRead`: else to write to it. */
function refuseUnlessOwn(found: Stats, place: Place, toRead: boolean): void {
  refuseUnlessRegular(found, place);
  if (place.isPrivate.file(found)) throw privateRefusal(place.path);
  if (found.nlink <= 1) return;
  throw workspaceError((say) => say.hardLink({ path: quotePath(place.path), toRead }));
}

function refuseUnlessRegular(found: Stats, { path }: Place): void {
  if (found.isFile()) return;
  const quoted = { path: quotePath(path) };
  if (found.isDirectory()) throw workspaceError((say) => say.folderNotFile(quoted));
  if (found.isSymbolicLink()) throw workspaceError((say) => say.exchanged(quoted));
  throw workspaceError((say) => say.device(quoted));
}

function tooLarge({ path }: Place, size: number, limit: number): WorkspaceError {
  const limits = { path: quotePath(path), size: formatSize(size), most: formatSize(limit) };
  return workspaceError((say) => say.tooLargeToRead(limits));
}

/** Replaces or creates the file. Refuses one that is read-only, has a second hard link, or is Keyturn's. */
export async function writeFile(place: Place, bytes: Uint8Array) {
  const existing = await unless(['ENOENT'], look(place));
  if (existing !== undefined) {
    refuseUnlessOwn(existing, place, false);
    if ((existing.mode & 0o222) === 0) throw workspaceError((say) => say.readOnly({ path: quotePath(place.path) }));
  }
  const { directory, name } = place;
  const mode = existing && existing.mode & 0o777;
  await withPassingFile(place, bytes, mode, (passing) => rename(directory.at(passing), directory.at(name)));
  return { created: existing === undefined, size: bytes.length };
}

/** Replaces or creates the file with these permission bits. Refuses a second hard link, and Keyturn's own. */
export async function putBack(place: Place, bytes: Uint8Array, mode: number): Promise<void> {
  const existing = await unless(['ENOENT'], look(place));
  if (existing !== undefined) refuseUnlessOwn(existing, place, false);
  const { directory, name } = place;
  await withPassingFile(place, bytes, mode & 0o777, (passing) => rename(directory.at(passing), directory.at(name)));
}

/** Removes a regular file with one hard link, or an empty folder. A folder with something in it stays. */
export async function removeEntry(place: Place): Promise<void> {
  const { directory, name } = place;
  const existing = await look(place);
  if (existing.isDirectory()) return unless(['ENOTEMPTY', 'EEXIST'], rmdir(directory.at(name)));
  refuseUnlessOwn(existing, place, false);
  await unlink(directory.at(name));
  await directory.sync();
}

/**
 * Writes the bytes to a new file beside the place, which `finish` renames when all is on the disk. A reader sees the old
 * content or the new, even after a power cut. A link of that name is replaced, not followed. A failure leaves no file.
 */
async function withPassingFile<Result>(
  { directory }: Place,
  bytes: Uint8Array,
  mode: number | undefined,
  finish: (passing: string) => Promise<Result>,
): Promise<Result> {
  const passing = `.keyturn-${randomBytes(9).toString('base64url')}.tmp`;
  await using file = await open(directory.at(passing), newFile, mode ?? 0o666);
  try {
    await directory.confirm(passing, file);
    // The umask has restricted the mode of open().
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(bytes);
    await file.sync();
    const result = await finish(passing);
    await directory.sync();
    return result;
  } catch (cause) {
    await unless(['ENOENT'], unlink(directory.at(passing)));
    throw cause;
  }
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Takes the name if it is free, with all its content at once. A rename would replace an existing file; a link does not. */
async function publish({ directory, name }: Place, passing: string): Promise<boolean> {
  const [from, to] = [directory.at(passing), directory.at(name)];
  try {
    await link(from, to);
  } catch (cause) {
    const code = errorCode(cause) ?? '';
    if (code !== 'EEXIST' && !noLinks.includes(code)) throw cause;
    // Without links, the first to create it has it. A power cut may leave it empty.
    const claim = code === 'EEXIST' ? undefined : await unless(['EEXIST'], open(to, newFile, 0o600));
    await claim?.close();
    await (claim === undefined ? unlink(from) : rename(from, to));
    return claim !== undefined;
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
export async function addFile(wanted: Place, bytes: Uint8Array): Promise<string> {
  for (let number = 1; number <= mostNumbers; number += 1) {
    const name = numbered(wanted.name, number);
    const place = { ...wanted, name };
    const found = await contentAt(place, bytes);
    if (found === 'same') return name;
    if (found === 'taken') continue;
    if (await withPassingFile(place, bytes, 0o600, (passing) => publish(place, passing))) return name;
  }
  throw workspaceError((say) => say.tooManyNames({ path: quotePath(wanted.name) }));
}

const mostNumbers = 100;

/** `report.pdf` becomes `report-2.pdf`. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const dot = name.lastIndexOf('.');
  const end = dot <= 0 ? name.length : dot;
  return `${name.slice(0, end)}-${number}${name.slice(end)}`;
}

/** Whether the name is free, or has a file with just these bytes. A file that no tool could read counts as taken. */
async function contentAt(place: Place, bytes: Uint8Array): Promise<'free' | 'same' | 'taken'> {
  try {
    return (await readWhole(place, bytes.length)).equals(bytes) ? 'same' : 'taken';
  } catch (cause) {
    const code = errorCode(cause) ?? '';
    if (code === 'ENOENT') return 'free';
    // A folder, a link, a pipe, another size, a second hard link, or an unreadable file.
    if (cause instanceof WorkspaceError || ['ELOOP', 'ENXIO', 'EACCES', 'EPERM'].includes(code)) return 'taken';
    throw cause;
  }
}
