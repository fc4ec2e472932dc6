import { CallLog } from '../call-log.ts';
import type { FaultKind } from './faults.ts';

/** One request of the bot. */
export interface ApiCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** In milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The status of the answer, whether or not it arrived; undefined as long as there is none. */
  readonly status: number | undefined;
  /** What went wrong on purpose. */
  readonly fault: FaultKind | undefined;
}

/** No requests yet. They are named by their methods, in capitals or not. */
export function makeCallLog(): CallLog<ApiCall> {
  return new CallLog((call, name) => call.method.toLowerCase() === name.toLowerCase());
}
