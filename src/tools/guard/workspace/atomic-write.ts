import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import type { Place } from './walk.ts';
import { errorCode, unless } from './workspace-error.ts';

/**
 * Writes the bytes to a new file beside the place and gives it the place's name once all is on the disk. Whoever reads
 * sees the old content or the new, also after a power cut; what stood under the name, a link too, is not written through.
 * Whatever happens, no file is left behind.
 */
export async function writeAtomically(place: Place, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const { directory, name } = place;
  await withPassingFile(place, { bytes, mode }, (passing) => rename(directory.at(passing), directory.at(name)));
}

/** The same for a name that is free. False, and nothing is changed, if something stands under it. */
export async function createAtomically(place: Place, bytes: Uint8Array, mode: number): Promise<boolean> {
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
