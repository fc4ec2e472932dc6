import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { type Language, type Words, wordsIn } from '../../lib/words.ts';
import type { RunInWorker } from '../../tools/guard/worker/run-in-worker.ts';
import { backupWork } from './tables.ts';
import { dataWords } from './words.ts';

export interface DailyBackup {
  /** Makes the backup of this day if there is none, and removes the oldest. Never rejects. */
  make(day: string): Promise<void>;
  /** For owners: why the last one could not be made, or old ones not be removed. */
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
  const removal = new LastTry();
  return {
    make: (day) => make(day, { ...parts, state, removal }),
    fault: () => state.fault ?? removal.fault,
  };
}

interface BackupContext extends BackupParts {
  readonly state: LastTry;
  /** Of the oldest. */
  readonly removal: LastTry;
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
  await removeOldest(folder, context);
}

/** Undefined if it was made; else why not. */
async function order(target: string, { dataFolder, clock, ending, runInWorker, redact }: BackupContext) {
  const input = { dataFolder, target, replaces: false, config: undefined, secrets: undefined, at: clock.now() };
  const outcome = await runInWorker(backupWork, input, { ...bounds, signal: ending });
  if (outcome.type === 'done' && outcome.value.type === 'made') return undefined;
  const refused = outcome.type === 'done' && outcome.value.type === 'refused' ? outcome.value.words : {};
  const reason = outcome.type === 'failed' ? outcome.message : outcome.type;
  const whyIn = (language: Language): string => escapeMarkdown(redact(refused[language] ?? `${reason}. `));
  const words: Words = (language) => dataWords[language].backupFailed({ why: whyIn(language) });
  return words;
}

/** A fault is told once, until the removal works again: the backups stay, and so does the daily one. */
async function removeOldest(folder: string, { most, clock, log, removal, tellOwners, redact }: BackupContext) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && ofDay.test(entry.name)).map(({ name }) => name);
    for (const name of names.toSorted().slice(0, -most())) await rm(join(folder, name), { force: true });
    removal.worked();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ err: error }, 'old daily backups could not be removed');
    const fault: Words = (language) =>
      dataWords[language].oldStay({ folder: escapeMarkdown(folder), why: escapeMarkdown(redact(reason)) });
    if (removal.failed(fault, clock.now())) tellOwners(fault);
  }
}

/** A folder or a link of that name is none. */
async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
