import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { newId } from '../../lib/ids.ts';

/** Puts a text in the place of a file, all of it or nothing; behind a link, in the place of what that leads to. */
export async function replaceFile(path: string, text: string, mostMode = 0o600): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const begun = `${target}-${newId(8)}`;
  try {
    await using file = await open(begun, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
    await chmod(begun, mode & mostMode);
    await rename(begun, target);
  } catch (error) {
    await rm(begun, { force: true });
    throw error;
  }
}
