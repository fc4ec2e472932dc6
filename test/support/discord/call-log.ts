import { CallLog } from '../call-log.ts';
import type { FaultKind } from './faults.ts';
import { matchesRoute } from './route-pattern.ts';

/** One request of the bot. */
export interface ApiCall {
  /** The method and the template of the path, such as `POST /channels/:channel/messages`; of an unknown one, its path. */
  readonly route: string;
  readonly method: string;
  /** Below `/api/v10`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON of the body, undefined if there is none. */
  readonly body: unknown;
  /** The names of the uploaded files. */
  readonly files: readonly string[];
  readonly authorization: string | undefined;
  /** In milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The status of the answer, whether or not it arrived; undefined as long as there is none. */
  readonly status: number | undefined;
  /** Discord's own number for what was wrong, if anything was. */
  readonly code: number | undefined;
  /** What went wrong on purpose. */
  readonly fault: FaultKind | undefined;
}

/** No requests yet. They are named as `callsOf` takes them. */
export function makeCallLog(): CallLog<ApiCall> {
  return new CallLog((call, name) => matchesRoute(name, call.method, call.path));
}
