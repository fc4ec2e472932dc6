import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import type { Place } from './walk.ts';
import { unless } from './workspace-error.ts';

/**
 * Writes the bytes to a new file beside the place and gives it the place's name once all is on the disk. Whoever reads
 * sees the old content or the new, also after a power cut; what stood under the name, a link too, is not written through.
 * Whatever happens, no file is left behind.
 */
export async function writeAtomically(place: Place, bytes: Buffer, mode: number | undefined): Promise<void> {
  const { directory, name } = place;
  const passing = `.keyturn-${randomBytes(9).toString('base64url')}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(directory.at(passing), flags, mode ?? 0o666);
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
    await rename(directory.at(passing), directory.at(name));
  } catch (cause) {
    await unless(['ENOENT'], unlink(directory.at(passing)));
    throw cause;
  }
  await directory.sync();
}
