import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder without links in its path, which is gone after the test. */
export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'keyturn-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A file with this content in a new folder. Gives its path. */
export async function newFile(content: string | Uint8Array, name = 'file'): Promise<string> {
  const path = join(await newFolder(), name);
  await writeFile(path, content);
  return path;
}
