import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import type { Place } from './walk.ts';
import { errorCode, quotePath, unless, WorkspaceError } from './workspace-error.ts';

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
    const found = await look(directory, name, bytes);
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

async function look(directory: Directory, name: string, bytes: Uint8Array): Promise<'free' | 'same' | 'taken'> {
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
