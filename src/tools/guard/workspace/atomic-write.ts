import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import type { Place } from './walk.ts';
import { errorCode, quotePath, unless, WorkspaceError } from './workspace-error.ts';

/**
 * Writes the bytes to a new file beside the place and gives it the place's name once all is on the disk. A reader
 * sees the old content or the new, also after a power cut; what stood under the name, a link too, is not written through.
 * Whatever happens, no file is left behind.
 */
export async function writeAtomically(place: Place, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const { directory, name } = place;
  await withPassingFile(place, { bytes, mode }, (passing) => rename(directory.at(passing), directory.at(name)));
}

/** The same for a name that is free. False, and nothing is changed, if something stands under it. */
async function createAtomically(place: Place, bytes: Uint8Array, mode: number): Promise<boolean> {
  return withPassingFile(place, { bytes, mode }, (passing) => publish(place, passing));
}

async function withPassingFile<Result>(
  { directory }: Place,
  { bytes, mode }: { readonly bytes: Uint8Array; readonly mode: number | undefined },
  finish: (passing: string) => Promise<Result>,
): Promise<Result> {
  const passing = `.keyturn-${randomBytes(9).toString('base64url')}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(directory.at(passing), flags, mode ?? 0o666);
  let result: Result;
  try {
    try {
      await directory.confirm(passing, file);
      // The mode of open() is cut by the umask.
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

/** A rename would replace what stands there; a link does not. */
async function publish({ directory, name }: Place, passing: string): Promise<boolean> {
  try {
    await link(directory.at(passing), directory.at(name));
  } catch (cause) {
    if (noLinks.includes(errorCode(cause) ?? '')) return renameIfFree({ directory, name }, passing);
    if (errorCode(cause) !== 'EEXIST') throw cause;
    await unlink(directory.at(passing));
    return false;
  }
  await unlink(directory.at(passing));
  return true;
}

/** What file systems without hard links answer. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

async function renameIfFree({ directory, name }: Place, passing: string): Promise<boolean> {
  const isFree = (await unless(['ENOENT'], lstat(directory.at(name)))) === undefined;
  await (isFree ? rename(directory.at(passing), directory.at(name)) : unlink(directory.at(passing)));
  return isFree;
}

/**
 * Adds a file that only its owner can read, and nobody can execute. Nothing is overwritten: where something else stands
 * under the name, it gets a number. A file with the same content is taken for it. Resolves with the name that it has.
 */
export async function addFile({ directory, name: wanted }: Place, bytes: Uint8Array): Promise<string> {
  for (let number = 1; number <= mostNumbers; number += 1) {
    const name = numbered(wanted, number);
    const found = await look(directory, name, bytes);
    if (found === 'same') return name;
    if (found === 'free' && (await createAtomically({ directory, name }, bytes, 0o600))) return name;
  }
  throw new WorkspaceError(`There are too many files named like ${quotePath(wanted)}. Move some of them away.`);
}

const mostNumbers = 100;

/** `report.pdf` is `report-2.pdf` then. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const dot = name.lastIndexOf('.');
  const end = dot <= 0 ? name.length : dot;
  return `${name.slice(0, end)}-${number}${name.slice(end)}`;
}

async function look(directory: Directory, name: string, bytes: Uint8Array): Promise<'free' | 'same' | 'taken'> {
  const opened = await openRegular(directory, name);
  if (opened === 'free' || opened === 'taken') return opened;
  try {
    const { size, nlink } = await opened.stat();
    // One with another name is not read by any tool. A death in the middle of adding it leaves such a file.
    if (size !== bytes.length || nlink > 1) return 'taken';
    return (await opened.readFile()).equals(bytes) ? 'same' : 'taken';
  } finally {
    await opened.close();
  }
}

async function openRegular(
  directory: Directory,
  name: string,
): Promise<Awaited<ReturnType<typeof open>> | 'free' | 'taken'> {
  try {
    // Not blocking: a pipe would hold the open until somebody writes to it.
    const file = await open(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return 'taken';
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOENT') return 'free';
    // A link, a socket, or what may not be read.
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'EACCES' || code === 'EPERM') return 'taken';
    throw cause;
  }
}
