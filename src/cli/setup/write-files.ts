/* Writes what a set-up has found: each file whole or not at all. */

import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { chown, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../lib/ids.ts';
import { messageOf } from '../../lib/plain-text.ts';
import { makeFolder } from '../../tools/guard/workspace/workspace.ts';
import { exitCodes } from '../commands/command.ts';
import { configBefore } from '../place.ts';
import { UnansweredError } from '../unanswered-error.ts';
import type { Ground, NewTexts } from './draft.ts';
import { setupWords } from './words.ts';

/** A file that was written. */
export interface Written {
  readonly path: string;
  /** Where the text is that stood there before, if it is kept. */
  readonly before?: string;
  /** Whether others could read it before, and no longer can. */
  readonly isTightened?: boolean;
}

/** Of files with secrets, and of a new config. */
const ownOnly = 0o600;

/** Rejects with `UnansweredError`, before anybody has answered a question, if the folder cannot be written to. */
export function requireWritable({ path }: Pick<Ground, 'path'>): void {
  const folder = nearestFolder(dirname(path));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw cannotWrite(folder, error, []);
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

/**
 * Writes the files that change: first the secrets, which the config then names. Rejects with `UnansweredError` if a file
 * was edited meanwhile, or cannot be written; it says what was written.
 */
export async function writeTexts(ground: Ground, { config, env }: NewTexts): Promise<readonly Written[]> {
  requireUnchanged(ground);
  const done: Written[] = [];
  makeFolder(dirname(ground.path));
  if (env !== undefined) done.push(await written(ground.envPath, env, ownOnly, done));
  if (config !== undefined) {
    const kept = configBefore(ground.path);
    if (ground.text !== undefined) await written(kept, ground.text, ownOnly, done);
    const file = await written(ground.path, config, undefined, done);
    done.push(ground.text === undefined ? file : { ...file, before: kept });
  }
  return done;
}

function requireUnchanged({ path, envPath, text, envText }: Ground): void {
  for (const [file, before] of [
    [path, text],
    [envPath, envText],
  ] as const) {
    const now = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (now !== before)
      throw new UnansweredError(exitCodes.failed, (language) => setupWords[language].editedMeanwhile({ file }));
  }
}

/** `mode`: what others may do with it; undefined: as before, and nothing with a new one. */
async function written(
  path: string,
  text: string,
  mode: number | undefined,
  done: readonly Written[],
): Promise<Written> {
  // Through a link, which stays one.
  const target = existsSync(path) ? await realpath(path) : path;
  const begun = `${target}.${newId(8)}`;
  try {
    const before = existsSync(target) ? await stat(target) : undefined;
    await using file = await open(begun, 'wx', ownOnly);
    await file.writeFile(text);
    await file.chmod(mode ?? (before === undefined ? ownOnly : before.mode & 0o777));
    await file.sync();
    // Root must not take a file away from the user that Keyturn runs as.
    const isOthers = before !== undefined && process.getuid?.() === 0 && before.uid !== 0;
    if (isOthers) await chown(begun, before.uid, before.gid);
    await rename(begun, target);
    const isTightened = mode !== undefined && before !== undefined && (before.mode & 0o077) !== 0;
    return isTightened ? { path, isTightened } : { path };
  } catch (error) {
    await rm(begun, { force: true }).catch(() => undefined);
    throw cannotWrite(path, error, done);
  }
}

function cannotWrite(path: string, error: unknown, done: readonly Written[]): UnansweredError {
  const reason = messageOf(error);
  const files = done.map((each) => each.path);
  return new UnansweredError(
    exitCodes.failed,
    (language) => setupWords[language].cannotWrite({ path, reason, written: files }),
    error,
  );
}
