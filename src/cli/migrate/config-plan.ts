/* Which keys of the config and which variables would be added, so that a start accepts them. Changes nothing. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { type Environment, envFileOf, variablesIn } from '../../config/environment.ts';
import { type LoadOptions, loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { type JsonValue, parseJson } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import { editedEnv, envTextOf } from '../env-text.ts';
import { stateIn, withSettings } from './config-text.ts';
import type { Former, Left, Secret } from './findings.ts';
import { nameFor } from './secret-names.ts';
import type { WantedSetting } from './settings.ts';
import { migrateWords } from './words.ts';

export interface ConfigPlan {
  readonly configFile: string;
  readonly configText: string;
  readonly envFile: string;
  readonly envText: string;
  /** What the two files were when this was planned. Undefined: not there. */
  readonly former: Readonly<Record<'config' | 'env', Uint8Array | undefined>>;
  /** As it will be. */
  readonly config: Config;
  readonly settings: readonly PlannedSetting[];
  /** What is added to `.env`. */
  readonly secrets: readonly Secret[];
  readonly left: readonly Left[];
}

export interface PlannedSetting extends WantedSetting {
  /** `other`: the config says something else, which stays. */
  readonly state: 'free' | 'same' | 'other';
}

/** For whom the comments are written, and what is there. */
export interface ConfigSurroundings {
  readonly former: Former;
  readonly options: LoadOptions;
  readonly language: Language;
}

/** Throws `ConfigError` if the config that is there cannot be used. */
export async function configPlanOf(
  wanted: readonly WantedSetting[],
  { former, options, language }: ConfigSurroundings,
): Promise<ConfigPlan> {
  const configFile = resolve(options.cwd ?? '.', options.path);
  const envFile = envFileOf(dirname(configFile));
  const before = { config: bytesIn(configFile), env: bytesIn(envFile) };
  const [text, variables] = [
    new TextDecoder().decode(before.config),
    before.env === undefined ? '' : envTextOf(before.env, envFile),
  ];
  const { environment } = await loadConfig({ ...options, explicit: false });
  const inFile = variablesIn(before.env)?.variables ?? {};
  const named = withAllNames(wanted, environment, former);
  const settings = named.flatMap((one) => ('why' in one ? [] : [{ ...one, state: stateIn(text, one) }]));
  const files = { configFile, text, envFile, variables, inFile };
  const writing: Writing = { ...files, head: migrateWords[language].comments.file(former), options, language };
  const free = settings.filter(({ state }) => state === 'free');
  const tried = await acceptable(free, writing);
  const refused = new Set(tried.refused.map(({ setting }) => setting));
  const left = tried.refused.map(
    ({ setting: { path, file }, fault }): Left => ({
      what: path.join('.'),
      file,
      why: (own) => migrateWords[own].refused({ fault }),
    }),
  );
  return {
    ...tried.draft,
    configFile,
    envFile,
    former: before,
    config: tried.config,
    settings: settings.filter((setting) => !refused.has(setting)),
    left: [...named.flatMap((one) => ('why' in one ? [one] : [])), ...left],
  };
}

function bytesIn(file: string): Uint8Array | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** Two settings have one variable only if it holds the same for both. */
function withAllNames(
  wanted: readonly WantedSetting[],
  environment: Environment,
  former: Former,
): readonly (WantedSetting | Left)[] {
  const set: Record<string, string | undefined> = { ...environment };
  return wanted.map((setting) => {
    const named = withNames(setting, set, former);
    if (!('why' in named)) for (const { variable, value } of named.secrets) set[variable] = value;
    return named;
  });
}

/** The setting with the variables that its secrets can have. `set`: those that a start reads. */
function withNames(setting: WantedSetting, set: Environment, former: Former): WantedSetting | Left {
  let [value, secrets]: [JsonValue, readonly Secret[]] = [setting.value, []];
  for (const secret of setting.secrets) {
    const { variable: name } = secret;
    const found = nameFor(secret, set, former.name);
    const { file, path } = setting;
    switch (found.type) {
      case 'unquotable':
        return { what: path.join('.'), file, why: (language) => migrateWords[language].unquotable };
      case 'held':
        return { what: path.join('.'), file, why: (language) => migrateWords[language].heldVariable({ name }) };
      case 'named':
        value = renamed(value, name, found.variable);
        secrets = [...secrets, { variable: found.variable, value: secret.value }];
    }
  }
  return { ...setting, value, secrets };
}

function renamed(value: JsonValue, before: string, after: string): JsonValue {
  return parseJson(JSON.stringify(value).replaceAll(`\${${before}}`, `\${${after}}`)) ?? value;
}

interface Writing {
  readonly configFile: string;
  readonly text: string;
  readonly envFile: string;
  readonly variables: string;
  readonly inFile: Readonly<Record<string, string | undefined>>;
  readonly head: string;
  readonly options: LoadOptions;
  readonly language: Language;
}

interface Draft {
  readonly configText: string;
  readonly envText: string;
  readonly secrets: readonly Secret[];
}

interface Tried {
  readonly draft: Draft;
  readonly config: Config;
  readonly refused: readonly { readonly setting: PlannedSetting; readonly fault: string }[];
}

/** All of them, if a start accepts them together; else those that it accepts one after the other. */
async function acceptable(settings: readonly PlannedSetting[], writing: Writing): Promise<Tried> {
  const whole = await load(settings, writing);
  if (whole.type === 'loaded') return { ...whole, refused: [] };
  let [kept, refused]: [readonly PlannedSetting[], Tried['refused']] = [[], []];
  for (const setting of settings) {
    const tried = await load([...kept, setting], writing);
    if (tried.type === 'loaded') kept = [...kept, setting];
    else refused = [...refused, { setting, fault: tried.fault.in(writing.language).split('\n')[0] ?? '' }];
  }
  const rest = await load(kept, writing);
  if (rest.type === 'refused') throw rest.fault;
  return { ...rest, refused };
}

type Loading =
  | { readonly type: 'loaded'; readonly draft: Draft; readonly config: Config }
  | { readonly type: 'refused'; readonly fault: ConfigError };

/** Loads the config as it would be. */
async function load(settings: readonly PlannedSetting[], writing: Writing): Promise<Loading> {
  const { configFile, envFile, options } = writing;
  const draft = draftOf(settings, writing);
  const texts = new Map([
    [configFile, draft.configText],
    [envFile, draft.envText],
  ]);
  const read = async (path: string): Promise<Uint8Array> => {
    const text = texts.get(path);
    return text === undefined || text === '' ? readFileSync(path) : Buffer.from(text);
  };
  try {
    const { config } = await loadConfig({ ...options, explicit: false, readFile: read });
    return { type: 'loaded', draft, config };
  } catch (error) {
    if (error instanceof ConfigError) return { type: 'refused', fault: error };
    throw error;
  }
}

function draftOf(settings: readonly PlannedSetting[], writing: Writing): Draft {
  const { text, envFile, variables, inFile, head, language } = writing;
  const edits = settings.map(({ path, value, comment }) => ({ path, value, comment: comment?.(language) }));
  const wanted = new Map(settings.flatMap(({ secrets }) => secrets).map((secret) => [secret.variable, secret]));
  const secrets = [...wanted.values()].filter(({ variable, value }) => inFile[variable] !== value);
  return {
    configText: edits.length === 0 ? text : withSettings(text, edits, head),
    envText: editedEnv(variables, new Map(secrets.map(({ variable, value }) => [variable, value])), envFile),
    secrets,
  };
}
