import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { type Words, wordsIn } from '../../lib/words.ts';
import type { RunInWorker } from '../../tools/guard/worker/run-in-worker.ts';
import { backupWork } from './tables.ts';
import { dataWords } from './words.ts';

export interface DailyBackup {
  /** Makes the backup of this day if there is none, and removes the oldest. Never rejects. */
  make(day: string): Promise<void>;
  /** For owners: why the last one could not be made. */
  fault(): Words | undefined;
}

interface BackupParts extends Pick<FeatureCore, 'clock' | 'log' | 'ending' | 'tellOwners' | 'redact'> {
  /** The folder that is backed up; `backups` in it takes them. */
  readonly dataFolder: string;
  /** How many are kept. 0: none are made. */
  readonly most: () => number;
  readonly runInWorker: RunInWorker;
}

const bounds = { timeout: 6 * 60 * 60_000, memory: 256 * 2 ** 20 };
/** After one that failed, how long the next try waits, in ms. */
const pause = 60 * 60_000;
/** Those that somebody makes by hand have a time in their names, and stay. */
const ofDay = /^keyturn-\d{4}-\d\d-\d\d\.tar\.gz$/;

/** One backup a day, made by a process of its own, so that nothing waits for it. */
export function createDailyBackup(parts: BackupParts): DailyBackup {
  const state = new LastTry();
  return {
    make: (day) => make(day, { ...parts, state }),
    fault: () => state.fault,
  };
}

interface BackupContext extends BackupParts {
  readonly state: LastTry;
}

/** How the last try ended. */
class LastTry {
  #fault: Words | undefined;
  #next = 0;

  get fault(): Words | undefined {
    return this.#fault;
  }

  isDue(now: number): boolean {
    return now >= this.#next;
  }

  /** True if it failed before. */
  worked(): boolean {
    const hadFailed = this.#fault !== undefined;
    this.#fault = undefined;
    this.#next = 0;
    return hadFailed;
  }

  /** True if it had worked before. */
  failed(fault: Words, now: number): boolean {
    const isNew = this.#fault === undefined;
    this.#fault = fault;
    this.#next = now + pause;
    return isNew;
  }
}

async function make(day: string, context: BackupContext): Promise<void> {
  const { dataFolder, most, clock, log, state, tellOwners } = context;
  const folder = join(dataFolder, 'backups');
  const target = join(folder, `keyturn-${day}.tar.gz`);
  if (most() === 0 || !state.isDue(clock.now()) || (await isThere(target))) return;
  const fault = await order(target, context);
  if (context.ending.aborted) return;
  if (fault !== undefined) {
    log.warn({ target, why: wordsIn('en', fault) }, 'the daily backup could not be made');
    if (state.failed(fault, clock.now())) tellOwners(fault);
    return;
  }
  log.info({ file: target }, 'the daily backup was made');
  if (state.worked()) tellOwners((language) => dataWords[language].backupWorks);
  await removeOldest(folder, most());
}

/** Undefined if it was made; else why not. */
async function order(target: string, { dataFolder, clock, ending, runInWorker, redact }: BackupContext) {
  const input = { dataFolder, target, replaces: false, config: undefined, secrets: undefined, at: clock.now() };
  const outcome = await runInWorker(backupWork, input, { ...bounds, signal: ending });
  if (outcome.type === 'done' && outcome.value.type === 'made') return undefined;
  const refused = outcome.type === 'done' && outcome.value.type === 'refused' ? outcome.value.words : {};
  const reason = outcome.type === 'failed' ? outcome.message : outcome.type;
  const words: Words = (language) => {
    const why = refused[language] ?? `${reason}. `;
    return dataWords[language].backupFailed({ why: escapeMarkdown(redact(why)) });
  };
  return words;
}

async function removeOldest(folder: string, most: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => ofDay.test(name)).toSorted();
  for (const name of names.slice(0, -most)) await rm(join(folder, name), { force: true });
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
