/*
 * The config, edited while Keyturn runs. Its two files are looked at again and again; what has changed is read once it has
 * stopped changing, opened beside what runs, and handed to the daemon as a whole. What can't be used changes nothing, and owners
 * hear why. Nothing here ever writes to these files.
 */

import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError, type Fault } from '../config/config-error.ts';
import { envFileOf } from '../config/environment.ts';
import { keepGood } from '../config/last-good.ts';
import { type LoadOptions, loadConfig } from '../config/load.ts';
import { isInWorkspace } from '../config/own-programs.ts';
import type { Config } from '../config/schema.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { Background } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { inlineCode } from '../lib/plain-text.ts';
import type { OpenSetup } from './open-setup.ts';

export interface FollowParts {
  readonly place: LoadOptions;
  /** How the files were before what runs was read from them: see `stateOfConfig`. */
  readonly read: string;
  /** What runs. */
  readonly running: OpenSetup;
  /** Opens what is another one than in what runs. Throws `ConfigError`. */
  readonly open: (loaded: OpenSetup['loaded'], running: OpenSetup) => Promise<OpenSetup>;
  readonly daemon: Pick<Daemon, 'edited' | 'configFault' | 'tellOwners'>;
  /** What is wrong with the files as they were read then: what runs is the last config that worked. */
  readonly fault?: ConfigError | undefined;
  /** Told of each setup before it holds. */
  readonly holds: (opened: OpenSetup) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * How often the files are looked at, in milliseconds. Looking is two calls of `stat`: it also sees what notices of the file
 * system do not, as a file behind a link, on a network drive, or put in place by renaming another one.
 */
const pause = 400;
/** How many faults are told in a chat; the log has all. */
const mostTold = 5;

/** Has the daemon follow the config's files, as long as it runs. */
export function createConfigFollower(parts: FollowParts) {
  const { place, open, daemon, holds, clock, log } = parts;
  const background = new Background(log);
  let { running } = parts;
  /** The files as they were when they were last read; undefined if they are to be read in any case. */
  let read: string | undefined = parts.read;
  /** The files at the last look. */
  let seen: string | undefined;
  let fault: string | undefined;
  /** What was wrong at the last look. Who writes the file may not be done: it is told when the file has stayed so for two more. */
  let doubt: { readonly error: Error; looks: number } | undefined;
  /** Somebody wants to know what comes of it. */
  let isAsked = false;
  let told = new Set<string>();
  let looking = Promise.resolve();
  let callOff = (): void => {};
  let isOver = false;

  /** Begins to look. What holds now is kept as one that works. */
  function begin(): void {
    if (parts.fault === undefined) keep();
    else faulty(parts.fault);
    lookSoon();
  }

  function lookSoon(): void {
    callOff();
    if (isOver) return;
    callOff = clock.after(pause, () => {
      looking = look();
      background.run('the config could not be looked at', async () => {
        await looking.finally(() => lookSoon());
      });
    });
  }

  /** Reads the files again, whether they seem to have changed or not. */
  function readAgain(): void {
    log.info({}, 'the config is read again: SIGHUP');
    read = undefined;
    isAsked = true;
  }

  /** Resolves when what was begun is done. */
  async function stop(): Promise<void> {
    isOver = true;
    callOff();
    await looking.catch(() => {});
    await background.settled();
  }

  /** Looks at the files, and follows them if they have changed and are settled. */
  async function look(): Promise<void> {
    const { loaded } = running;
    // There, who wrote it may have been a tool: only a person can say that it is to be read.
    if (!isAsked && doubt === undefined && isInWorkspace(loaded.config, loaded.path)) return;
    const now = await stateOfConfig(loaded.path);
    const isSettled = now === seen;
    seen = now;
    // It is read when it has been the same for a while.
    if (!isSettled) return;
    if (now !== read) {
      read = now;
      await follow(now);
    } else if (doubt !== undefined && ++doubt.looks === 2) faulty(doubt.error);
  }

  async function follow(state: string): Promise<void> {
    const before = running;
    doubt = undefined;
    try {
      const loaded = await load();
      const opened = await open(loaded, before);
      // It was written to meanwhile: what was read may be half of it.
      if ((await stateOfConfig(before.loaded.path)) !== state) {
        read = undefined;
        return;
      }
      const isEdited = JSON.stringify(holding(loaded)) !== JSON.stringify(holding(before.loaded));
      running = opened;
      holds(opened);
      for (const warning of loaded.warnings)
        if (!before.loaded.warnings.includes(warning)) log.warn({ warning }, 'what is allowed, and maybe not meant');
      if (isEdited) {
        await daemon.edited(opened.setup, opened.channels);
        const changed = { made: [...opened.channels.made.keys()], gone: opened.channels.gone };
        log.info({ channels: changed }, 'the config was edited: it holds from now on');
      } else if (isAsked) log.info({}, 'the config is as it was');
      isAsked = false;
      keep();
      mended();
    } catch (error) {
      if (!(error instanceof ConfigError))
        log.error({ err: error }, 'a fault in Keyturn keeps it from following the config');
      doubt = { error: error instanceof Error ? error : new Error(String(error)), looks: 0 };
    }
  }

  async function load(): Promise<OpenSetup['loaded']> {
    const { path, source } = running.loaded;
    const loaded = await loadConfig({
      ...place,
      explicit: place.explicit || source === 'file',
      readFile: async (file) => {
        const bytes = await readFile(file);
        if (file === path && bytes.toString().trim() === '') throw new ConfigError([emptyFile(place.path)]);
        return bytes;
      },
    });
    return { ...loaded, config: withoutRestarts(loaded.config) };
  }

  /** With the values that run of what only a restart can change; owners are told of that, once. */
  function withoutRestarts(config: Config): Config {
    const { data_dir, log, tools } = running.loaded.config;
    const late = [
      ...(config.data_dir === data_dir ? [] : ['data_dir']),
      ...(config.log.level === log.level ? [] : ['log.level']),
      ...(config.tools.stop_secs === tools.stop_secs ? [] : ['tools.stop_secs']),
    ];
    const news = late.filter((key) => !told.has(key));
    told = new Set(late);
    if (news.length > 0) {
      const keys = news.map(inlineCode).join(', ');
      parts.log.warn({ keys: news }, 'the new values of these keys take effect at the next start');
      daemon.tellOwners(`The new value of ${keys} takes effect when I am restarted.`);
    }
    return { ...config, data_dir, log, tools: { ...config.tools, stop_secs: tools.stop_secs } };
  }

  /** A full disk costs nothing but the copy. */
  function keep(): void {
    const { source, text, config } = running.loaded;
    if (source === 'file')
      background.run('the config that works could not be kept', () => keepGood(config.data_dir, text, clock.now()));
  }

  function faulty(error: Error): void {
    if (fault === error.message && !isAsked) return;
    isAsked = false;
    fault = error.message;
    log.error({ faults: error.message.split('\n') }, 'the config cannot be used as it is now: the last one goes on');
    const lines = error.message.split('\n');
    const more = lines.length > mostTold ? [`… and ${lines.length - mostTold} more.`] : [];
    const told = [...lines.slice(0, mostTold), ...more].join('\n');
    daemon.configFault(`The config cannot be used as it is now. The last one that worked goes on.\n\n${told}`);
  }

  function mended(): void {
    if (fault === undefined) return;
    fault = undefined;
    log.info({}, 'the config is in order again');
    daemon.configFault(undefined);
  }

  return { begin, readAgain, stop, look };
}

/** What makes a difference to what runs. */
function holding({ config, secrets }: OpenSetup['loaded']): object {
  return { config, secrets };
}

/** Changes with each change of a config's file, an absolute path, and of the `.env` beside it. */
export async function stateOfConfig(path: string): Promise<string> {
  return JSON.stringify(await Promise.all([path, envFileOf(dirname(path))].map(stateOf)));
}

/** Changes with each change of the file, or of the one behind its link. */
async function stateOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

/** What is wrong with a config that was there and is empty now. */
export function emptyFile(file: string): Fault {
  return { file, key: '', text: 'the file is empty. For a config of defaults alone, write {}.' };
}
