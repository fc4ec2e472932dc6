/* What the set-up would write: nothing stands on the disk before all of it is known and can be used. */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { type Environment, envFileOf, readEnvironment, readIfThere } from '../../config/environment.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../config/load.ts';
import { syntax } from '../../config/source.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import type { ConfigEdit } from '../config-text.ts';
import { editedEnv, envTextOf } from '../env-text.ts';
import { editedConfig } from './config-text.ts';

/** What there is before the set-up. */
export interface Ground {
  /** Absolute. */
  readonly path: string;
  readonly envPath: string;
  /** Undefined: there is no such file. */
  readonly text: string | undefined;
  readonly envText: string | undefined;
  readonly options: LoadOptions;
  /** The variables of the process, then those of `.env`. */
  readonly environment: Environment;
  /** Of the comments in a new config. */
  readonly language: Language;
}

/** What is to be set. */
export interface Draft {
  readonly edits: readonly ConfigEdit[];
  /** For `.env`. */
  readonly variables: ReadonlyMap<string, string>;
}

export const emptyDraft: Draft = { edits: [], variables: new Map() };

/** Reads what there is. Throws `ConfigError`, or `UnansweredError`, if a file cannot be read. */
export async function readGround(options: LoadOptions, language: Language): Promise<Ground> {
  const { path: name, cwd = process.cwd() } = options;
  const path = resolve(cwd, name);
  const envPath = envFileOf(dirname(path));
  const [bytes, envBytes] = [await readIfThere(path, readNow), await readIfThere(envPath, readNow)];
  const text = bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const envText = envBytes && envTextOf(envBytes, envPath);
  const { environment } = await readEnvironment(dirname(path), options.env, readNow);
  // That it is missing is no fault here.
  return { path, envPath, text, envText, options: { ...options, explicit: false }, environment, language };
}

async function readNow(path: string): Promise<Uint8Array> {
  return readFileSync(path);
}

/** Both drafts; of what both set, the later one counts. */
export function joined(earlier: Draft, later: Draft): Draft {
  return {
    edits: [...earlier.edits, ...later.edits],
    variables: new Map([...earlier.variables, ...later.variables]),
  };
}

/** What the files would be. Undefined: the file stays as it is, or stays missing. */
export interface NewTexts {
  readonly config: string | undefined;
  readonly env: string | undefined;
}

/** Throws `UnansweredError` if a variable cannot be written. */
export function newTexts(ground: Ground, { edits, variables }: Draft): NewTexts {
  const { text, envText = '', language } = ground;
  const config = edits.length === 0 ? text : editedConfig(text, edits, language);
  const env = editedEnv(envText, variables, ground.envPath);
  return { config: config === text ? undefined : config, env: env === envText ? undefined : env };
}

/** The config as it is written, with its variables. */
export function writtenConfig({ text }: Pick<Ground, 'text'>): JsonObject {
  const value: JsonValue = parse(text ?? '', [], syntax) ?? {};
  return isJsonObject(value) ? value : {};
}

/** The config as it would be. Throws `ConfigError`. */
export function loadDraft(ground: Ground, draft: Draft): Promise<LoadedConfig> {
  const { config = ground.text, env = ground.envText } = newTexts(ground, draft);
  const written: ReadonlyMap<string, string | undefined> = new Map([
    [ground.path, config],
    [ground.envPath, env],
  ]);
  return loadConfig({
    ...ground.options,
    readFile: async (path) => {
      const text = written.get(path);
      return text === undefined ? readNow(path) : Buffer.from(text);
    },
  });
}

/**
 * Where a secret is kept: the variable that is set, and how the config names it. A variable of the process would count
 * more than that of `.env`: then it gets another name.
 */
export function secretPlace({ options }: Ground, name: string, value: string): string {
  const ofProcess = options.env[name] ?? '';
  return ofProcess === '' || ofProcess === value ? name : `KEYTURN_${name}`;
}
