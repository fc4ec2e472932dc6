import type { JsonValue } from '../lib/json.ts';
import { quotation } from './as-data.ts';
import { summaryEvent } from './daemon-event.ts';
import { ends } from './shorten.ts';

/** What stands in a request in the place of the oldest part of a conversation. */
export interface Summary {
  readonly id: number;
  readonly text: string;
  /** All up to there is left out of requests: turns, by id. */
  readonly upToTurn: number;
  /** The same for what came in, by sequence. */
  readonly upToSeq: number;
  /** Calls of what is left out that still wait for a person. */
  readonly waiting: readonly WaitingCall[];
}

export interface WaitingCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** The summary as the model reads it, in so many characters, about. What it once wrote itself stands as a quotation. */
export function summaryWords({ text, waiting }: Summary, most: number): string {
  const calls = waiting.map(
    ({ id, name, arguments: args }) => `${name} (call ${id}): ${ends(JSON.stringify(args), longestArguments)}`,
  );
  return summaryEvent(quotation(ends(text, most)), quotation(calls.join('\n')), calls.length);
}

const longestArguments = 300;
