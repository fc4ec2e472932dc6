/* How a command changes the person's config: as a whole, from one instant to the next, and only if nobody else has changed it. */

import { randomBytes } from 'node:crypto';
import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { editsFolderOf } from '../../../config/data-folder.ts';
import { replaceWhole } from '../../../lib/replace-whole.ts';
import type { Place } from '../../place.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { exitCodes } from '../command.ts';
import { configCommandWords } from './words.ts';

/** The config as it was read. */
export interface ConfigFile {
  /** Absolute, as the place names it. */
  readonly path: string;
  /** Undefined: there is none yet. */
  readonly bytes: Buffer | undefined;
}

/** Rejects with `UnansweredError` if it cannot be read. */
export async function readConfigFile({ path: name, cwd }: Pick<Place, 'path' | 'cwd'>): Promise<ConfigFile> {
  const path = resolve(cwd, name);
  return withFile(path, async () => ({ path, bytes: await readFile(path).catch(absent) }));
}

/**
 * Replaces the config by this text, with its mode and its owner. False, and nothing is changed, if it is not as it was read.
 * Killed at any instant, it leaves the one or the other. Rejects with `UnansweredError`.
 */
export async function replaceConfig({ path, bytes: former }: ConfigFile, bytes: Uint8Array): Promise<boolean> {
  return withFile(path, async () => {
    const { type } = await replaceWhole(path, bytes, { unchangedFrom: { bytes: former } });
    return type === 'written';
  });
}

/** A copy of the config in the folder for them, which tools cannot see. Gives its path. Rejects with `UnansweredError`. */
export async function copyBeside({ path }: Pick<ConfigFile, 'path'>, bytes: Uint8Array, at: number): Promise<string> {
  const folder = editsFolderOf(path);
  return withFile(folder, async () => {
    const time = new Date(at).toISOString().slice(0, 19).replace(/[:T]/g, '-');
    const copy = join(folder, `${time}-${randomBytes(2).toString('hex')}.json`);
    await replaceWhole(copy, bytes);
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
