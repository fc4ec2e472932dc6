/* How a command changes the person's config: as a whole, from one instant to the next, and only if nobody else has changed it. */

import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { editsFolderOf } from '../../../config/data-folder.ts';
import type { Place } from '../../place.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { exitCodes } from '../command.ts';
import { configCommandWords } from './words.ts';

/** The config as it was read. */
export interface ConfigFile {
  /** Absolute, as the place names it. */
  readonly path: string;
  /** What a link leads to. */
  readonly target: string;
  /** Undefined: there is none yet. */
  readonly bytes: Buffer | undefined;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/** Rejects with `UnansweredError` if it cannot be read. */
export async function readConfigFile({ path: name, cwd }: Pick<Place, 'path' | 'cwd'>): Promise<ConfigFile> {
  const path = resolve(cwd, name);
  return withFile(path, async () => {
    const target = await realpath(path).catch(absent);
    if (target === undefined) return { path, target: path, bytes: undefined, mode: 0o600, owner: undefined };
    const { mode, uid, gid } = await stat(target);
    return { path, target, bytes: await readFile(target), mode: mode & 0o777, owner: { uid, gid } };
  });
}

/** Whether the config is still as it was read. */
async function isUnchanged({ target, bytes }: ConfigFile): Promise<boolean> {
  const now = await readFile(target).catch(absent);
  return now === undefined || bytes === undefined ? now === bytes : now.equals(bytes);
}

/**
 * Replaces the config by this text, with its mode and its owner. False, and nothing is changed, if it is not as it was read.
 * Killed at any instant, it leaves the one or the other. Rejects with `UnansweredError`.
 */
export async function replaceConfig(file: ConfigFile, bytes: Uint8Array): Promise<boolean> {
  const { target, mode, owner } = file;
  const passing = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  return withFile(target, async () => {
    try {
      await writeFile(passing, bytes, { flag: 'wx', mode: 0o600, flush: true });
      if (owner !== undefined && process.getuid?.() === 0) await chown(passing, owner.uid, owner.gid);
      await chmod(passing, mode);
      if (!(await isUnchanged(file))) return false;
      await rename(passing, target);
      return true;
    } finally {
      await rm(passing, { force: true });
    }
  });
}

/** A copy of the config in the folder for them, which tools cannot see. Gives its path. Rejects with `UnansweredError`. */
export async function copyBeside({ path }: Pick<ConfigFile, 'path'>, bytes: Uint8Array, at: number): Promise<string> {
  const folder = editsFolderOf(path);
  return withFile(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const time = new Date(at).toISOString().slice(0, 19).replace(/[:T]/g, '-');
    const copy = join(folder, `${time}-${randomBytes(2).toString('hex')}.json`);
    await writeFile(copy, bytes, { flag: 'wx', mode: 0o600, flush: true });
    return copy;
  });
}

/** Removes a copy, and the folder if it was the last one. */
export async function removeCopy(copy: string): Promise<void> {
  await rm(copy, { force: true });
  // Editors leave files of their own there, too.
  await rmdir(dirname(copy)).catch(() => undefined);
}

async function withFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    throw new UnansweredError(
      exitCodes.failed,
      (language) => configCommandWords[language].notWritable({ path, code }),
      error,
    );
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
