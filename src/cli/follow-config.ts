/*
 * Follows edits of the config while Keyturn runs. Its two files are polled; once a change has settled, it is loaded,
 * opened beside the running setup, and handed to the daemon as a whole. An unusable config changes nothing, and owners
 * are told why. Nothing here writes to these files.
 */

import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError, type Fault } from '../config/config-error.ts';
import { envFileOf } from '../config/environment.ts';
import { keepGood } from '../config/last-good.ts';
import { type LoadOptions, loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { isInWorkspace } from '../config/workspace.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { daemonWords } from '../daemon/words.ts';
import { Background } from '../lib/background.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { messageOf } from '../lib/plain-text.ts';
import { type Language, wordsIn } from '../lib/words.ts';
import type { OpenSetup } from './open-setup.ts';
import { cliWords, processLanguage } from './words.ts';

export interface FollowParts {
  readonly place: LoadOptions;
  /** The state of the files before the running config was read from them: see `stateOfConfig`. */
  readonly read: string;
  /** The running setup. */
  readonly running: OpenSetup;
  /** Opens the parts that differ from the running setup. Throws `ConfigError`. */
  readonly open: (loaded: OpenSetup['loaded'], running: OpenSetup) => Promise<OpenSetup>;
  readonly daemon: Pick<Daemon, 'edited' | 'configFault' | 'tellOwners'>;
  /** The fault of the files at start, if the last config that worked runs instead. */
  readonly fault?: ConfigError | undefined;
  /** Called with each setup before it takes effect. */
  readonly holds: (opened: OpenSetup) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The polling interval, in ms. Polling costs two calls of `stat`, and sees changes that file system notifications miss:
 * behind a link, on a network drive, or by renaming.
 */
const pause = 400;
/** The files are read once they have been the same for so many looks after a change: the writer may not be done. */
const enough = 3;
/** The most faults shown in a chat; the log has all. */
const mostTold = 5;

/** Makes the daemon follow the config's files. */
export interface ConfigFollower {
  /** Starts polling. The running config is kept as one that works. */
  begin(): void;
  /** Reads the files again, even if they seem unchanged. Who is `told` hears when that begins and ends. */
  readAgain(told?: ReloadTold): void;
  /** Resolves when work in progress is done. */
  stop(): Promise<void>;
  /** Looks at the files, and loads them if they have changed and settled. */
  look(): Promise<void>;
}

/** Hears of a reading of the config that somebody asked for. */
export interface ReloadTold {
  reloading(): void;
  reloaded(): void;
}

interface FollowState {
  readonly parts: FollowParts;
  readonly background: Background;
  readonly over: AbortController;
  running: OpenSetup;
  /** The files at the last look, and for how many looks they have been the same. */
  seen: string;
  looks: number;
  fault: string | undefined;
  /** A person asked for a reload, and is told the result. */
  isAsked: boolean;
  reloadTold: ReloadTold | undefined;
  /** The keys that need a restart, of which owners were told. */
  told: readonly string[];
}

export function createConfigFollower(parts: FollowParts): ConfigFollower {
  const state: FollowState = {
    parts,
    background: new Background(parts.log),
    over: new AbortController(),
    running: parts.running,
    seen: parts.read,
    looks: enough,
    fault: undefined,
    isAsked: false,
    reloadTold: undefined,
    told: [],
  };
  return {
    begin: () => begin(state),
    readAgain(told) {
      told?.reloading();
      state.reloadTold = told;
      parts.log.info({}, 'the config is read again: SIGHUP');
      state.looks = enough - 1;
      state.isAsked = true;
    },
    async stop() {
      state.over.abort();
      await state.background.settled();
    },
    look: () => look(state),
  };
}

function begin(state: FollowState): void {
  const { fault } = state.parts;
  if (fault === undefined) keep(state);
  else {
    // The first lines that were printed say it.
    state.fault = fault.message;
    tell(linesIn(fault), state.parts);
  }
  state.background.run('the config is not followed any longer', () => poll(state));
}

async function poll(state: FollowState): Promise<void> {
  const { over, parts } = state;
  for (;;) {
    await sleep(parts.clock, pause, over.signal);
    if (over.signal.aborted) return;
    await look(state).catch((err: unknown) => parts.log.warn({ err }, 'the config could not be looked at'));
  }
}

async function look(state: FollowState): Promise<void> {
  const { loaded } = state.running;
  // In a workspace, a tool may have written it: only a person can have it read.
  if (!state.isAsked && isInWorkspace(loaded.config, loaded.path)) return;
  const now = await stateOfConfig(loaded.path);
  state.looks = now === state.seen ? state.looks + 1 : 0;
  state.seen = now;
  if (state.looks !== enough) return;
  await follow(state);
  if (state.isAsked) return;
  state.reloadTold?.reloaded();
  state.reloadTold = undefined;
}

async function follow(state: FollowState): Promise<void> {
  const before = state.running;
  const { open, log } = state.parts;
  // Then the text that was read may be incomplete: it is read again.
  const isWritten = async (): Promise<boolean> => (await stateOfConfig(before.loaded.path)) !== state.seen;
  try {
    const loaded = await load(state);
    const opened = await open(loaded, before);
    if (await isWritten()) return;
    await apply(opened, before, state);
    state.isAsked = false;
    keep(state);
    mended(state);
  } catch (error) {
    if (!(error instanceof ConfigError))
      log.error({ err: error }, 'a fault in Keyturn keeps it from following the config');
    if (!(await isWritten())) faulty(error, state);
  }
}

/** Puts what was opened in force, if it differs. */
async function apply(opened: OpenSetup, before: OpenSetup, state: FollowState): Promise<void> {
  const { daemon, holds, log } = state.parts;
  const { loaded } = opened;
  const [old, now] = [before.loaded, loaded].map(({ config, secrets }) => JSON.stringify({ config, secrets }));
  state.running = opened;
  holds(opened);
  const [known, warned] = [before.loaded, loaded].map(({ warnings }) => warnings.map((one) => wordsIn('en', one)));
  for (const warning of warned ?? [])
    if (known?.includes(warning) !== true) log.warn({ warning }, 'the config allows something that may be a mistake');
  if (now === old) {
    if (state.isAsked) log.info({}, 'the config has not changed');
    return;
  }
  await daemon.edited(opened.setup, opened.channels);
  const changed = { made: [...opened.channels.made.keys()], gone: opened.channels.gone };
  log.info({ channels: changed }, 'the config was edited, and is in force');
}

async function load(state: FollowState): Promise<OpenSetup['loaded']> {
  const { place } = state.parts;
  const { path, source, config } = state.running.loaded;
  const loaded = await loadConfig({
    ...place,
    explicit: place.explicit || source === 'file',
    readFile: async (file) => {
      const bytes = await readFile(file);
      if (file === path && bytes.toString().trim() === '')
        throw new ConfigError([emptyFile(place.path, processLanguage(place.env, config))]);
      return bytes;
    },
  });
  return { ...loaded, config: withoutRestarts(loaded.config, state) };
}

/** Keeps the running values of settings that need a restart; owners are told of each once. */
function withoutRestarts(config: Config, state: FollowState): Config {
  const { daemon, log } = state.parts;
  const { data_dir, tools } = state.running.loaded.config;
  const pairs = [
    ['data_dir', config.data_dir, data_dir],
    ['tools.stop_secs', config.tools.stop_secs, tools.stop_secs],
  ] as const;
  const late = pairs.filter(([, edited, current]) => edited !== current).map(([key]) => key);
  const news = late.filter((key) => !state.told.includes(key));
  state.told = late;
  if (news.length > 0) {
    log.warn({ keys: news }, 'the new values of these keys take effect at the next start');
    daemon.tellOwners((language) => daemonWords[language].atNextStart({ keys: news }));
  }
  return { ...config, data_dir, tools: { ...config.tools, stop_secs: tools.stop_secs } };
}

/** If the disk is full, only the copy is lost. */
function keep({ running, background, parts }: FollowState): void {
  const { source, text, config } = running.loaded;
  if (source === 'file')
    background.run('the config that works could not be kept', () => keepGood(config.data_dir, text, parts.clock.now()));
}

function faulty(error: unknown, state: FollowState): void {
  const found = messageOf(error);
  if (state.fault === found && !state.isAsked) return;
  state.isAsked = false;
  state.fault = found;
  const faults = found.split('\n');
  state.parts.log.error({ faults }, 'the config cannot be used as it is now: the last one stays in force');
  tell(error instanceof ConfigError ? linesIn(error) : () => faults, state.parts);
}

type LinesIn = (language: Language) => readonly string[];

function linesIn(error: ConfigError): LinesIn {
  return (language) => error.in(language).split('\n');
}

function tell(faults: LinesIn, { daemon }: FollowParts): void {
  daemon.configFault((language) => {
    const say = daemonWords[language];
    const lines = faults(language);
    const left = lines.length - mostTold;
    const more = left > 0 ? [say.moreFaults({ count: left })] : [];
    return [say.configUnusable, ...lines.slice(0, mostTold), ...more].join('\n');
  });
}

function mended(state: FollowState): void {
  if (state.fault === undefined) return;
  state.fault = undefined;
  state.parts.log.info({}, 'the config is in order again');
  state.parts.daemon.configFault(undefined);
}

/** Changes with each change of the config's file (an absolute path) and of its `.env`. */
export async function stateOfConfig(path: string): Promise<string> {
  return JSON.stringify(await Promise.all([path, envFileOf(dirname(path))].map(stateOf)));
}

/** Changes with each change of the file or of the target of its link. */
async function stateOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

/** The fault of a config that is empty now. */
export function emptyFile(file: string, language: Language): Fault {
  return { file, key: '', text: cliWords[language].emptyConfig };
}
