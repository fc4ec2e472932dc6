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
import type { Language } from '../lib/words.ts';
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
export function createConfigFollower(parts: FollowParts) {
  const { place, open, daemon, holds, clock, log } = parts;
  const background = new Background(log);
  let { running } = parts;
  /** The files at the last look, and for how many looks they have been the same. */
  let seen = parts.read;
  let looks = enough;
  let fault: string | undefined;
  /** A person asked for a reload, and is told the result. */
  let isAsked = false;
  let told: readonly string[] = [];
  const over = new AbortController();

  /** Starts polling. The running config is kept as one that works. */
  function begin(): void {
    if (parts.fault === undefined) keep();
    else {
      // The first lines that were printed say it.
      fault = parts.fault.message;
      tell(fault.split('\n'));
    }
    background.run('the config is not followed any longer', poll);
  }

  async function poll(): Promise<void> {
    for (;;) {
      await sleep(clock, pause, over.signal);
      if (over.signal.aborted) return;
      await look().catch((err: unknown) => log.warn({ err }, 'the config could not be looked at'));
    }
  }

  /** Reads the files again, even if they seem unchanged. */
  function readAgain(): void {
    log.info({}, 'the config is read again: SIGHUP');
    looks = enough - 1;
    isAsked = true;
  }

  /** Resolves when work in progress is done. */
  async function stop(): Promise<void> {
    over.abort();
    await background.settled();
  }

  /** Looks at the files, and loads them if they have changed and settled. */
  async function look(): Promise<void> {
    const { loaded } = running;
    // In a workspace, a tool may have written it: only a person can have it read.
    if (!isAsked && isInWorkspace(loaded.config, loaded.path)) return;
    const now = await stateOfConfig(loaded.path);
    looks = now === seen ? looks + 1 : 0;
    seen = now;
    if (looks === enough) await follow();
  }

  async function follow(): Promise<void> {
    const before = running;
    // Then the text that was read may be incomplete: it is read again.
    const isWritten = async (): Promise<boolean> => (await stateOfConfig(before.loaded.path)) !== seen;
    try {
      const loaded = await load();
      const opened = await open(loaded, before);
      if (await isWritten()) return;
      const [old, now] = [before.loaded, loaded].map(({ config, secrets }) => JSON.stringify({ config, secrets }));
      running = opened;
      holds(opened);
      for (const warning of loaded.warnings)
        if (!before.loaded.warnings.includes(warning))
          log.warn({ warning }, 'the config allows something that may be a mistake');
      if (now !== old) {
        await daemon.edited(opened.setup, opened.channels);
        const changed = { made: [...opened.channels.made.keys()], gone: opened.channels.gone };
        log.info({ channels: changed }, 'the config was edited, and is in force');
      } else if (isAsked) log.info({}, 'the config has not changed');
      isAsked = false;
      keep();
      mended();
    } catch (error) {
      if (!(error instanceof ConfigError))
        log.error({ err: error }, 'a fault in Keyturn keeps it from following the config');
      if (!(await isWritten())) faulty(messageOf(error));
    }
  }

  async function load(): Promise<OpenSetup['loaded']> {
    const { path, source } = running.loaded;
    const loaded = await loadConfig({
      ...place,
      explicit: place.explicit || source === 'file',
      readFile: async (file) => {
        const bytes = await readFile(file);
        if (file === path && bytes.toString().trim() === '')
          throw new ConfigError([emptyFile(place.path, processLanguage(place.env, running.loaded.config))]);
        return bytes;
      },
    });
    return { ...loaded, config: withoutRestarts(loaded.config) };
  }

  /** Keeps the running values of settings that need a restart; owners are told of each once. */
  function withoutRestarts(config: Config): Config {
    const { data_dir, log: logging, tools } = running.loaded.config;
    const pairs = [
      ['data_dir', config.data_dir, data_dir],
      ['log.level', config.log.level, logging.level],
      ['tools.stop_secs', config.tools.stop_secs, tools.stop_secs],
    ] as const;
    const late = pairs.flatMap(([key, edited, current]) => (edited === current ? [] : [key]));
    const news = late.filter((key) => !told.includes(key));
    told = late;
    if (news.length > 0) {
      log.warn({ keys: news }, 'the new values of these keys take effect at the next start');
      daemon.tellOwners((language) => daemonWords[language].atNextStart({ keys: news }));
    }
    return { ...config, data_dir, log: logging, tools: { ...config.tools, stop_secs: tools.stop_secs } };
  }

  /** If the disk is full, only the copy is lost. */
  function keep(): void {
    const { source, text, config } = running.loaded;
    if (source === 'file')
      background.run('the config that works could not be kept', () => keepGood(config.data_dir, text, clock.now()));
  }

  function faulty(found: string): void {
    if (fault === found && !isAsked) return;
    isAsked = false;
    fault = found;
    const lines = found.split('\n');
    log.error({ faults: lines }, 'the config cannot be used as it is now: the last one stays in force');
    tell(lines);
  }

  function tell(lines: readonly string[]): void {
    const left = lines.length - mostTold;
    daemon.configFault((language) => {
      const say = daemonWords[language];
      const more = left > 0 ? [say.moreFaults({ count: left })] : [];
      return [say.configUnusable, ...lines.slice(0, mostTold), ...more].join('\n');
    });
  }

  function mended(): void {
    if (fault === undefined) return;
    fault = undefined;
    log.info({}, 'the config is in order again');
    daemon.configFault(undefined);
  }

  return { begin, readAgain, stop, look };
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
