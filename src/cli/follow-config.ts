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
export class ConfigFollower {
  readonly #parts: FollowParts;
  readonly #background: Background;
  #running: OpenSetup;
  /** The files as they were when they were last read; undefined if they are to be read in any case. */
  #read: string | undefined;
  /** The files at the last look. */
  #seen: string | undefined;
  #fault: string | undefined;
  /** What was wrong at the last look. Who writes the file may not be done: it is told when the file has stayed so for two more. */
  #doubt: { readonly error: Error; looks: number } | undefined;
  /** Somebody wants to know what comes of it. */
  #isAsked = false;
  #told = new Set<string>();
  #looking = Promise.resolve();
  #callOff = (): void => {};
  #isOver = false;

  constructor(parts: FollowParts) {
    this.#parts = parts;
    this.#running = parts.running;
    this.#read = parts.read;
    this.#background = new Background(parts.log);
  }

  /** Begins to look. What holds now is kept as one that works. */
  begin(): void {
    const { fault } = this.#parts;
    if (fault === undefined) this.#keep();
    else this.#faulty(fault);
    this.#lookSoon();
  }

  #lookSoon(): void {
    this.#callOff();
    if (this.#isOver) return;
    this.#callOff = this.#parts.clock.after(pause, () => {
      this.#looking = this.look();
      this.#background.run('the config could not be looked at', async () => {
        await this.#looking.finally(() => this.#lookSoon());
      });
    });
  }

  /** Reads the files again, whether they seem to have changed or not. */
  readAgain(): void {
    this.#parts.log.info({}, 'the config is read again: SIGHUP');
    this.#read = undefined;
    this.#isAsked = true;
  }

  /** Resolves when what was begun is done. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#callOff();
    await this.#looking.catch(() => {});
    await this.#background.settled();
  }

  /** Looks at the files, and follows them if they have changed and are settled. */
  async look(): Promise<void> {
    const { loaded } = this.#running;
    // There, who wrote it may have been a tool: only a person can say that it is to be read.
    if (!this.#isAsked && this.#doubt === undefined && isInWorkspace(loaded.config, loaded.path)) return;
    const now = await stateOfConfig(loaded.path);
    const isSettled = now === this.#seen;
    this.#seen = now;
    // It is read when it has been the same for a while.
    if (!isSettled) return;
    if (now !== this.#read) {
      this.#read = now;
      await this.#follow(now);
    } else if (this.#doubt !== undefined && ++this.#doubt.looks === 2) this.#faulty(this.#doubt.error);
  }

  async #follow(state: string): Promise<void> {
    const { open, daemon, holds, log } = this.#parts;
    const before = this.#running;
    this.#doubt = undefined;
    try {
      const loaded = await this.#load();
      const opened = await open(loaded, before);
      // It was written to meanwhile: what was read may be half of it.
      if ((await stateOfConfig(before.loaded.path)) !== state) {
        this.#read = undefined;
        return;
      }
      const isEdited = JSON.stringify(holding(loaded)) !== JSON.stringify(holding(before.loaded));
      this.#running = opened;
      holds(opened);
      for (const warning of loaded.warnings)
        if (!before.loaded.warnings.includes(warning)) log.warn({ warning }, 'what is allowed, and maybe not meant');
      if (isEdited) {
        await daemon.edited(opened.setup, opened.channels);
        const changed = { made: [...opened.channels.made.keys()], gone: opened.channels.gone };
        log.info({ channels: changed }, 'the config was edited: it holds from now on');
      } else if (this.#isAsked) log.info({}, 'the config is as it was');
      this.#isAsked = false;
      this.#keep();
      this.#mended();
    } catch (error) {
      if (!(error instanceof ConfigError))
        log.error({ err: error }, 'a fault in Keyturn keeps it from following the config');
      this.#doubt = { error: error instanceof Error ? error : new Error(String(error)), looks: 0 };
    }
  }

  async #load(): Promise<OpenSetup['loaded']> {
    const { place } = this.#parts;
    const { path, source } = this.#running.loaded;
    const loaded = await loadConfig({
      ...place,
      explicit: place.explicit || source === 'file',
      readFile: async (file) => {
        const bytes = await readFile(file);
        if (file === path && bytes.toString().trim() === '') throw new ConfigError([emptyFile(place.path)]);
        return bytes;
      },
    });
    return { ...loaded, config: this.#withoutRestarts(loaded.config) };
  }

  /** With the values that run of what only a restart can change; owners are told of that, once. */
  #withoutRestarts(config: Config): Config {
    const { data_dir, log, tools } = this.#running.loaded.config;
    const late = [
      ...(config.data_dir === data_dir ? [] : ['data_dir']),
      ...(config.log.level === log.level ? [] : ['log.level']),
      ...(config.tools.stop_secs === tools.stop_secs ? [] : ['tools.stop_secs']),
    ];
    const news = late.filter((key) => !this.#told.has(key));
    this.#told = new Set(late);
    if (news.length > 0) {
      const keys = news.map(inlineCode).join(', ');
      this.#parts.log.warn({ keys: news }, 'the new values of these keys take effect at the next start');
      this.#parts.daemon.tellOwners(`The new value of ${keys} takes effect when I am restarted.`);
    }
    return { ...config, data_dir, log, tools: { ...config.tools, stop_secs: tools.stop_secs } };
  }

  /** A full disk costs nothing but the copy. */
  #keep(): void {
    const { clock } = this.#parts;
    const { source, text, config } = this.#running.loaded;
    if (source === 'file')
      this.#background.run('the config that works could not be kept', () =>
        keepGood(config.data_dir, text, clock.now()),
      );
  }

  #faulty(error: Error): void {
    if (this.#fault === error.message && !this.#isAsked) return;
    this.#isAsked = false;
    this.#fault = error.message;
    const { daemon, log } = this.#parts;
    log.error({ faults: error.message.split('\n') }, 'the config cannot be used as it is now: the last one goes on');
    const lines = error.message.split('\n');
    const more = lines.length > mostTold ? [`… and ${lines.length - mostTold} more.`] : [];
    const told = [...lines.slice(0, mostTold), ...more].join('\n');
    daemon.configFault(`The config cannot be used as it is now. The last one that worked goes on.\n\n${told}`);
  }

  #mended(): void {
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    this.#parts.log.info({}, 'the config is in order again');
    this.#parts.daemon.configFault(undefined);
  }
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
