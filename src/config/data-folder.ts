/* Where the data folder is, found without reading the whole config: also of a config that cannot be used. */

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { type JsonValue, valueAt } from '../lib/json.ts';
import { type Environment, envFileOf, readEnvironment, substitute } from './environment.ts';
import { isTooDeep, syntax } from './source.ts';

/** Where the config is. */
export interface ConfigPlace {
  /** Absolute, or relative to `cwd`. */
  readonly path: string;
  readonly cwd?: string;
  readonly env: Environment;
}

/** What a config says of its data folder. */
export interface FoundDataFolder {
  /** The config's file, absolute. */
  readonly path: string;
  /** What of the text is JSON. */
  readonly present: JsonValue;
  readonly dataFolder: string;
}

/** Reads the config's text for its `data_dir`. Tolerates syntax errors and a missing file. */
export async function findDataFolder({ path: name, cwd = process.cwd(), env }: ConfigPlace): Promise<FoundDataFolder> {
  const path = resolve(cwd, name);
  const text = await readFile(path, 'utf8').catch(() => '');
  const present = tolerantly(text);
  return { path, present, dataFolder: await dataFolderOf(dataFolderIn(text, present), dirname(path), env) };
}

/** The JSON of a text, as far as it is some. */
function tolerantly(text: string): JsonValue {
  return isTooDeep(text) ? null : (parse(text, [], syntax) ?? null);
}

/** `data_dir` as written, also behind the place where the text stops being JSON. */
function dataFolderIn(text: string, present: JsonValue): string | undefined {
  const read = valueAt(present, ['data_dir']);
  if (typeof read === 'string') return read;
  const [, written] = /"data_dir"\s*:\s*"((?:[^"\\\n]|\\.)*)"/.exec(text) ?? [];
  const value = written === undefined ? undefined : tolerantly(`"${written}"`);
  return typeof value === 'string' ? value : undefined;
}

async function dataFolderOf(written: string | undefined, folder: string, env: Environment): Promise<string> {
  if (written === undefined) return resolve(folder, 'data');
  const read = readEnvironment(folder, env, (file) => readFile(file));
  const environment = await read.then(({ environment }) => environment).catch(() => env);
  const { value } = substitute(written, environment, envFileOf(folder));
  return absolutePath(String(value), folder);
}

/** Relative paths start at the folder, `~/` at the home folder. */
export function absolutePath(path: string, folder: string): string {
  if (path === '~' || path.startsWith('~/')) return resolve(homedir(), path.slice(2));
  return resolve(folder, path);
}

/** The folder beside the config for what may become one: copies that are edited, and texts that could not be used. Tools cannot see it. */
export function editsFolderOf(path: string): string {
  return `${path}.edits`;
}
