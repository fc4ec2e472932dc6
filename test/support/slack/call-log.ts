import { CallLog } from '../call-log.ts';
import type { FaultKind } from './faults.ts';

/** What a request showed for itself. */
export type TokenKind = 'bot' | 'app' | 'none' | 'unknown';

/** One request of the app. What is no method of the Web API has a name, too: see `doorNames`. */
export interface ApiCall {
  readonly method: string;
  /** Without the token. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly token: TokenKind;
  /** The workspace whose bot asked. */
  readonly teamId: string | undefined;
  /** In milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The status of the answer, whether or not it arrived; undefined as long as there is none. */
  readonly status: number | undefined;
  /** `ok`, or the code of the refusal; undefined as long as there is no answer. */
  readonly outcome: string | undefined;
  /** What went wrong on purpose. */
  readonly fault: FaultKind | undefined;
}

/** As what requests that are no method of the Web API stand in the log, and are named in rules for faults. */
export const doorNames = { download: 'download', upload: 'upload', respond: 'response_url', socket: 'socket' } as const;

/** No requests yet. They are named by their methods. */
export function makeCallLog(): CallLog<ApiCall> {
  return new CallLog((call, name) => call.method === name);
}
