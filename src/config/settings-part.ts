/*
 * The settings of a feature: which keys of the config it owns, and all that is known of them before anything runs. A
 * feature has them in its `settings.ts`. The whole config is made of these parts and of the core's keys
 * (`schema.ts`); a key that no part owns is refused.
 */

import { types } from 'node:util';
import type { z } from 'zod';
import type { JsonValue } from '../lib/json.ts';
import type { Words } from '../lib/words.ts';
import type { ToolCategory } from '../tools/tool.ts';
import type { Finding, KeyPath } from './config-error.ts';
import type { Environment } from './environment.ts';
import type { ChannelSettings, Config } from './schema.ts';
import type { SettingsContext } from './setting-kinds.ts';

/** The settings of one part, as the rest sees them. */
export interface SettingsPart {
  /** Its keys, where they stand in the config. Blocks made by `shared` may have keys of other parts too. */
  keys(context: SettingsContext): z.ZodObject;
  /** Maps of entries with `enabled`: an entry that is off needs no variables. */
  readonly switched: readonly string[];
  /** The channels that the config plugs in, as it is written, by name. */
  channels(written: JsonValue): ChannelSettings;
  /** What these settings bring to the rest. */
  brings(config: Config): Partial<Brought>;
  /** Faults between values that are each valid alone. */
  faults(config: Config, around: Around): readonly Finding[];
  /** What is allowed, but may be a mistake. */
  warnings(config: Config, around: Around): readonly Words[];
  /** What is intended, but worth knowing. */
  notes(config: Config): readonly Words[];
  /** What the config names and is not there. Starts, writes and sends nothing. */
  missing(config: Config, environment: Environment): Promise<readonly Finding[]>;
}

/** The settings of one part, for itself: `read` gives their values. */
export interface OwnSettings<Settings extends object> extends SettingsPart {
  read(config: Config): Settings;
}

/** The values of a part. */
export type SettingsOf<Part> = Part extends OwnSettings<infer Settings> ? Settings : never;

/** What a part brings to the rest of the config. */
export interface Brought {
  /** The channels that it runs itself, besides those under `channels`. */
  readonly channels: readonly string[];
  /** The enabled ones under `channels` that it attaches. */
  readonly pluggedChannels: readonly string[];
  /** Where it answers web requests. */
  readonly listeners: readonly Listener[];
  /** The other ports that it opens, for programs of the operator's. */
  readonly ports: readonly Listener[];
  /** The names of its tools, on or off, or `files_*`. Not those with a switch under `tools`. */
  readonly toolNames: readonly string[];
  /** Whether it may bring tools whose names the config does not know. */
  readonly unknownTools: readonly true[];
  /** What is known of its tools that are on. */
  readonly calls: readonly KnownCall[];
  /** Those of them that `config check` plays. */
  readonly playedCalls: readonly KnownCall[];
  /** Its lists of names and patterns of tools: each must match a tool. */
  readonly toolLists: readonly (readonly [KeyPath, readonly string[]])[];
  /** The operator's programs that it runs without a sandbox. */
  readonly programs: readonly NamedProgram[];
  /** The servers that it asks. */
  readonly servers: readonly NamedServer[];
}

export interface Listener {
  /** Of its block with `host` and `port`. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
}

/** A tool by its name or `prefix*`, and the most that it does. */
export interface KnownCall {
  readonly name: string;
  readonly category: ToolCategory;
}

/** Words of a command, each of which may be a program or a file of one. */
export interface NamedProgram {
  /** Where the config names it. */
  readonly key: string;
  readonly words: readonly string[];
  /** Absolute. */
  readonly folder: string;
}

export interface NamedServer {
  readonly path: KeyPath;
  readonly address: string | undefined;
  /** Whether a key or token is sent with each request. */
  readonly hasKey: boolean;
}

/** What a part sees of the others. */
export interface Around {
  readonly config: Config;
  /** What all parts bring. */
  readonly brought: Brought;
  readonly environment: Environment;
  /** The channels that no part plugs in. */
  readonly ownChannels: readonly string[];
}

/** How a part is defined. All but the keys may be omitted. */
interface Definition<Keys extends z.ZodObject> {
  /** `z.object` of what it owns, at the top of the config. */
  readonly keys: (context: SettingsContext) => Keys;
  readonly switched?: readonly string[];
  readonly channels?: (written: JsonValue) => ChannelSettings;
  readonly brings?: (settings: z.output<Keys>, config: Config) => Partial<Brought>;
  readonly faults?: (settings: z.output<Keys>, around: Around) => Iterable<Finding>;
  readonly warnings?: (settings: z.output<Keys>, around: Around) => Iterable<Words>;
  readonly notes?: (settings: z.output<Keys>) => Iterable<Words>;
  readonly missing?: (settings: z.output<Keys>, around: Surroundings) => Promise<readonly Finding[]>;
}

/** What a look for missing things knows. */
export interface Surroundings {
  readonly config: Config;
  readonly environment: Environment;
}

/** Closes over the type of the settings. */
export function settingsPart<Keys extends z.ZodObject>({
  keys,
  switched = [],
  ...given
}: Definition<Keys>): OwnSettings<z.output<Keys>> {
  // A config never changes, so what was read of it is kept as long as it: building a schema takes longer than a start may.
  // A view of the config that holds now (`Live.view`) does change: of that, nothing is kept.
  const known = new WeakMap<Config, z.output<Keys>>();
  const read = (config: Config): z.output<Keys> => {
    const settings = known.get(config) ?? keys(asRead(config)).parse(config);
    if (!types.isProxy(config)) known.set(config, settings);
    return settings;
  };
  return {
    keys,
    switched,
    read,
    channels: (written) => given.channels?.(written) ?? {},
    brings: (config) => given.brings?.(read(config), config) ?? {},
    faults: (config, around) => [...(given.faults?.(read(config), around) ?? [])],
    warnings: (config, around) => [...(given.warnings?.(read(config), around) ?? [])],
    notes: (config) => [...(given.notes?.(read(config)) ?? [])],
    missing: async (config, environment) => (await given.missing?.(read(config), { config, environment })) ?? [],
  };
}

/** The values of a valid config are valid, and as they are to be: reading them again changes nothing. */
function asRead(config: Config): SettingsContext {
  return { channels: Object.keys(config.channels), absolute: (path) => path, environment: {} };
}

/** What all parts bring. */
export function broughtBy(parts: readonly SettingsPart[], config: Config): Brought {
  const all = parts.map((part) => part.brings(config));
  return {
    channels: all.flatMap(({ channels = [] }) => channels),
    pluggedChannels: all.flatMap(({ pluggedChannels = [] }) => pluggedChannels),
    listeners: all.flatMap(({ listeners = [] }) => listeners),
    ports: all.flatMap(({ ports = [] }) => ports),
    toolNames: all.flatMap(({ toolNames = [] }) => toolNames),
    unknownTools: all.flatMap(({ unknownTools = [] }) => unknownTools),
    calls: all.flatMap(({ calls = [] }) => calls),
    playedCalls: all.flatMap(({ playedCalls = [] }) => playedCalls),
    toolLists: all.flatMap(({ toolLists = [] }) => toolLists),
    programs: all.flatMap(({ programs = [] }) => programs),
    servers: all.flatMap(({ servers = [] }) => servers),
  };
}
