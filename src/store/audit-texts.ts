/*
 * The audit has digests of what calls were asked to do and of how they ended; the texts stand with the calls, where
 * `data.keep_days` and `forget` remove them. Here the two are put together again, one call at a time: no text stays in memory.
 */

import { hash } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import type { AuditRow } from './audit.ts';
import { columns, type Row } from './sql.ts';

/** What a row of the audit says of a text of a call. */
export type TextVerdict =
  /** It is the text of that time. */
  | 'matches'
  /** It is not. */
  | 'differs'
  /** It was removed, with its call. */
  | 'gone'
  /** The row is from before arguments had a digest of their own. */
  | 'undigested';

/** A text that a row of the audit has the digest of. */
export interface CallText {
  readonly of: 'arguments' | 'result';
  readonly verdict: TextVerdict;
  /** As it is stored; undefined if nothing is. */
  readonly text: string | undefined;
}

/** A text that is not what the audit has the digest of. */
export interface ChangedText {
  readonly seq: number;
  readonly callId: string;
  readonly of: CallText['of'];
}

export interface TextProof extends Readonly<Record<TextVerdict, number>> {
  /** The first ones that differ. */
  readonly changed: readonly ChangedText[];
}

/** How many texts that differ are named. */
const mostNamed = 100;

/** Reads the text that a row of the audit has the digest of; undefined if it is about none. */
export type TextReader = (row: AuditRow) => CallText | undefined;

/** A reader of the texts of calls. About 20 µs a text, and a millisecond for 2 MB. */
export function createTextReader(sqlite: Sqlite.Database): TextReader {
  const find = sqlite.prepare<[string], Row>('SELECT arguments, outcome, result FROM calls WHERE id = ?');
  return (row) => {
    const of = textsOf[row.kind];
    if (of === undefined || row.callId === undefined) return undefined;
    const found = find.get(row.callId);
    const stored = found && toStored(found);
    const detail: Readonly<Record<string, unknown>> = JSON.parse(row.detail);
    const text = stored?.[of];
    return { of, text, verdict: verdictOf(of, stored, detail) };
  };
}

const textsOf: Readonly<Record<string, CallText['of'] | undefined>> = {
  'call-proposed': 'arguments',
  'call-ended': 'result',
};

interface StoredCall {
  readonly arguments: string;
  readonly outcome: string | undefined;
  readonly result: string | undefined;
}
const toStored: (row: Row) => StoredCall = columns({ arguments: 'text', outcome: 'text?', result: 'text?' });

function verdictOf(
  of: CallText['of'],
  stored: StoredCall | undefined,
  detail: Readonly<Record<string, unknown>>,
): TextVerdict {
  if (stored === undefined) return 'gone';
  const digest = detail[of];
  if (typeof digest !== 'string') return 'undigested';
  if (of === 'result' && stored.outcome !== detail.outcome) return 'differs';
  const text = stored[of];
  return text !== undefined && hash('sha256', text) === digest ? 'matches' : 'differs';
}

/** Counts the verdicts, and names the texts that differ. */
export class TextCount {
  readonly #read: TextReader;
  readonly #counts: Record<TextVerdict, number> = { matches: 0, differs: 0, gone: 0, undigested: 0 };
  readonly #changed: ChangedText[] = [];

  constructor(read: TextReader) {
    this.#read = read;
  }

  look(row: AuditRow): void {
    const found = this.#read(row);
    if (found === undefined) return;
    this.#counts[found.verdict] += 1;
    if (found.verdict !== 'differs' || this.#changed.length >= mostNamed) return;
    this.#changed.push({ seq: row.seq, callId: row.callId ?? '', of: found.of });
  }

  proof(): TextProof {
    return { ...this.#counts, changed: this.#changed };
  }
}
