import { lstat, readdir, unlink } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import { unless } from './workspace-error.ts';

/** Removes the oldest regular files of the directory, until at most so many are left. Leaves all else where it is. */
export async function keepNewestFiles(directory: Directory, most: number): Promise<void> {
  const names = await readdir(directory.self);
  if (names.length <= most) return;
  const found = await Promise.all(
    names.map(async (name) => ({ name, stats: await unless(['ENOENT'], lstat(directory.at(name))) })),
  );
  const files = found.flatMap(({ name, stats }) => (stats?.isFile() === true ? [{ name, at: stats.mtimeMs }] : []));
  const oldestFirst = files.toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
  for (const { name } of oldestFirst.slice(0, Math.max(0, files.length - most)))
    await unless(['ENOENT'], unlink(directory.at(name)));
}
