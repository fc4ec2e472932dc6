import { chmod, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../lib/ids.ts';

/**
 * Puts a text in the place of a file, all of it or nothing; behind a link, in the place of what that leads to. Who may read it
 * may go on to, as far as `mostMode` allows. Resolves with the system's code if it could not: then the file is as it was.
 */
export async function replaceFile(path: string, text: string, mostMode: number): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const begun = `${target}-${newId(8)}`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await using file = await open(begun, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
    await chmod(begun, mode & mostMode);
    await rename(begun, target);
    return undefined;
  } catch (error) {
    await rm(begun, { force: true });
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
}
