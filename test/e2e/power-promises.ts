import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { loadFeatures } from '../../src/daemon/command-menu.ts';
import { finishRestore } from '../../src/store/backup/restore.ts';
import { verifyData } from '../../src/store/backup/verify-data.ts';
import { lockData } from '../../src/store/examine.ts';
import { openDatabase } from '../../src/store/open.ts';
import { rowsOf } from '../support/store-setting.ts';
import { wordsOf } from './numbered-tasks.ts';
import type { Done, Storm } from './power-storm.ts';

/** What was promised to others until an instant, and has to hold after a power failure then. */
export interface Promised {
  /** What must be there: all of one of these. */
  readonly done: readonly (readonly Done[])[];
  /** The numbers of the tasks that have changed something outside. */
  readonly effects: ReadonlySet<number>;
  /** Files, from the data folder on, that were removed: the messages that they came with have arrived. */
  readonly removed: ReadonlySet<string>;
}

/** Follows a recording, and tells what was promised so far. */
export class Promises {
  readonly #storm: Storm;
  readonly #effects = new Set<number>();
  readonly #removed = new Set<string>();
  #next = 0;
  #offset = 0;
  #restore: 'none' | 'begun' | 'told' = 'none';

  constructor(storm: Storm) {
    this.#storm = storm;
  }

  until(place: number): Promised {
    const { recorded, done, restored } = this.#storm;
    for (let next = recorded[this.#next]; next !== undefined && next.began <= place; next = recorded[this.#next]) {
      this.#follow(next.deed);
      this.#next += 1;
    }
    const known = done.filter(({ update }) => update < this.#offset);
    const rest = { effects: new Set(this.#effects), removed: new Set(this.#removed) };
    if (restored === undefined || this.#restore === 'none') return { ...rest, done: [known] };
    const after = known.filter(({ update }) => update < restored.below || update >= restored.from);
    return { ...rest, done: this.#restore === 'told' ? [after] : [known, after] };
  }

  #follow(deed: Storm['recorded'][number]['deed']): void {
    switch (deed.type) {
      case 'told': {
        const text = deed.bytes.toString('latin1');
        // What is below the offset is confirmed, and never delivered again.
        const offset = /"allowed_updates":[^\]]*\],"offset":(\d+)/.exec(text)?.[1];
        if (offset !== undefined) this.#offset = Math.max(this.#offset, Number(offset));
        if (this.#restore === 'begun' && text.includes('before-restore-')) this.#restore = 'told';
        break;
      }
      case 'written':
        // What the command writes.
        if (deed.path === join(this.#storm.workspace, 'ledger.txt')) this.#effects.add(Number(deed.bytes.toString()));
        break;
      case 'renamed': {
        const number = /\/(\d+)\.txt$/.exec(deed.to)?.[1];
        if (number !== undefined) this.#effects.add(Number(number));
        break;
      }
      case 'folder':
        if (deed.path === join(this.#storm.dataFolder, 'restoring')) this.#restore = 'begun';
        break;
      case 'removed':
        this.#removed.add(relative(this.#storm.dataFolder, deed.path));
        break;
      case 'opened':
      case 'copied':
      case 'cut':
      case 'linked':
      case 'synced':
        break;
    }
  }
}

const callRow = z.object({ arguments: z.string(), state: z.string(), decided: z.string().nullable() });
const filesOfMessage = z.array(z.object({ size: z.number() }));
const calls = `SELECT arguments, calls.state AS state, approvals.state AS decided FROM calls
  LEFT JOIN approvals ON approvals.call_id = calls.id`;
const unsent = `SELECT id, files FROM outbox WHERE files IS NOT NULL AND state IN ('streaming', 'queued')`;

/** Opens a data folder as a start does. What is not as it was promised, if anything; it throws if it does not open. */
export async function brokenPromises(
  dataFolder: string,
  { done, effects, removed }: Promised,
): Promise<readonly string[]> {
  const features = await loadFeatures();
  const unlock = lockData(dataFolder);
  try {
    finishRestore(dataFolder);
    await openDatabase(join(dataFolder, 'keyturn.db'), features).close();
  } finally {
    unlock();
  }
  const { audit } = await verifyData(dataFolder, features);
  const best = done.map((each) => missingOf(each, effects, dataFolder)).toSorted((a, b) => a.length - b.length)[0];
  return [
    ...(audit.type === 'whole' ? [] : [`the audit is ${JSON.stringify(audit)}`]),
    ...(best ?? []),
    ...unreadable(dataFolder, removed),
  ];
}

function missingOf(done: readonly Done[], effects: ReadonlySet<number>, dataFolder: string): readonly string[] {
  const file = join(dataFolder, 'keyturn.db');
  const texts = new Set(rowsOf(file, `SELECT text FROM inbox WHERE kind = 'message'`).map(({ text }) => text));
  const found = z.array(callRow).parse(rowsOf(file, calls));
  return done.flatMap((each) => {
    const { number, deed } = each;
    const of = found.filter((call) => new RegExp(`(?:echo |book/)${number}\\b`).test(call.arguments));
    if (deed === 'said') {
      if (!texts.has(wordsOf(each))) return [`${wordsOf(each)} is lost`];
      const mayRun = effects.has(number) && !of.some(({ state }) => state === 'begun' || state === 'done');
      return mayRun ? [`the call of ${wordsOf(each)} would run again: ${JSON.stringify(of)}`] : [];
    }
    return of.some(({ decided }) => decided === deed) ? [] : [`${wordsOf(each)} is not ${deed}: ${JSON.stringify(of)}`];
  });
}

/** What is there, and not whole; or missing, and about to be sent. */
function unreadable(dataFolder: string, removed: ReadonlySet<string>): readonly string[] {
  const history = join(dataFolder, 'config-history');
  const copies = existsSync(history) ? readdirSync(history).filter((name) => name.endsWith('.json')) : [];
  const torn = copies.filter((name) => !isJson(readFileSync(join(history, name), 'utf8')));
  const messages = rowsOf(join(dataFolder, 'keyturn.db'), unsent);
  const missing = messages.flatMap(({ id, files }) =>
    filesOfMessage
      .parse(JSON.parse(String(files)))
      .map(({ size }, index) => ({ path: join('files', String(id), String(index)), size }))
      .filter(({ path }) => !removed.has(path))
      .filter(({ path, size }) => statSync(join(dataFolder, path), { throwIfNoEntry: false })?.size !== size),
  );
  return [
    ...torn.map((name) => `torn copy: ${name}`),
    ...missing.map(({ path }) => `a file that is to be sent is missing: ${path}`),
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
