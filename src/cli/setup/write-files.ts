/* Writes what a set-up has found: each file whole or not at all. */

import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../lib/plain-text.ts';
import { type Replaced, type ReplaceOptions, replaceWhole } from '../../lib/replace-whole.ts';
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
  const { path, envPath, text, envText } = ground;
  requireUnchanged(ground);
  const done: Written[] = [];
  if (env !== undefined) {
    const options = { mostMode: ownOnly, unchangedFrom: bytesOf(envText) };
    const { formerMode = 0 } = await written(envPath, env, { options, done });
    done.push((formerMode & 0o077) === 0 ? { path: envPath } : { path: envPath, isTightened: true });
  }
  if (config !== undefined) {
    const before = configBefore(path);
    if (text !== undefined) await written(before, text, { options: { mostMode: ownOnly }, done });
    await written(path, config, { options: { unchangedFrom: bytesOf(text) }, done });
    done.push(text === undefined ? { path } : { path, before });
  }
  return done;
}

function bytesOf(text: string | undefined): ReplaceOptions['unchangedFrom'] {
  return { bytes: text === undefined ? undefined : Buffer.from(text) };
}

function requireUnchanged({ path, envPath, text, envText }: Ground): void {
  for (const [file, before] of [
    [path, text],
    [envPath, envText],
  ] as const) {
    const now = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (now !== before) throw editedMeanwhile(file, []);
  }
}

function editedMeanwhile(file: string, done: readonly Written[]): UnansweredError {
  const written = done.map(({ path }) => path);
  return new UnansweredError(exitCodes.failed, (language) => setupWords[language].editedMeanwhile({ file, written }));
}

interface Writing {
  readonly options: ReplaceOptions;
  readonly done: readonly Written[];
}

async function written(
  path: string,
  text: string,
  { options, done }: Writing,
): Promise<Extract<Replaced, { readonly type: 'written' }>> {
  const replaced = await replaceWhole(path, text, options).catch((error: unknown) => {
    throw cannotWrite(path, error, done);
  });
  if (replaced.type === 'changed') throw editedMeanwhile(path, done);
  return replaced;
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
