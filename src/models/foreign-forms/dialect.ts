import type { JsonObject } from '../../lib/json.ts';

/** What an event means in a provider's protocol. */
export interface Reading {
  /** For the provider's package, in its own form. */
  readonly chunks: readonly JsonObject[];
  /** Whether the answer is complete with it: what follows can only add its usage. */
  readonly isEnd?: boolean;
  /** The fault that the server tells of: `{ message, type, code, status }`. */
  readonly fault?: JsonObject | undefined;
}

/** Reads the events of one answer, in order. */
export interface Dialect {
  /** Undefined if the event is none of the protocol. Throws `OddForm`. `name`: of the event, if it has one. */
  read(value: JsonObject, name: string | undefined): Reading | undefined;
  /** What is missing at the end of the answer. Undefined if it broke off. `isDone`: the server said `[DONE]`. */
  close(isDone: boolean): readonly JsonObject[] | undefined;
}
