import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './config-error.ts';

/** Variables by their names; one that is not set is undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a file. Throws Node's own errors. */
export type ReadFile = (path: string) => Promise<Uint8Array>;

/**
 * The variables of the process, and behind them those of the `.env` in the folder. A variable that is empty counts as
 * not set: that is how a container passes on what it does not have. Throws `ConfigError` if there is a file that can't be read.
 */
export async function readEnvironment(folder: string, env: Environment, readFile: ReadFile): Promise<Environment> {
  const path = envFileOf(folder);
  const bytes = await readIfThere(path, readFile);
  const fromFile = bytes === undefined ? {} : parseEnv(new TextDecoder().decode(bytes));
  const fromProcess = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  return { ...fromFile, ...Object.fromEntries(fromProcess) };
}

/** Where variables may be written down beside the config. */
export function envFileOf(folder: string): string {
  return join(folder, '.env');
}

/** The file's bytes; undefined if there is none. Throws `ConfigError` if it can't be read. */
export async function readIfThere(path: string, readFile: ReadFile): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT') return undefined;
    throw new ConfigError([{ file: path, key: '', text: `can't be read: ${reasons.get(code) ?? code}.` }], {
      cause: error,
    });
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not read it'],
  ['EPERM', 'this user may not read it'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is not a folder'],
]);
