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

/** Every request in the order in which they came. */
export class CallLog {
  #calls: ApiCall[] = [];

  /** Writes a request down; the returned function adds how it ended. */
  begin(call: Omit<ApiCall, 'status' | 'code'>): (status: number, code?: number) => void {
    const calls = this.#calls;
    const index = calls.push({ ...call, status: undefined, code: undefined }) - 1;
    return (status, code) => {
      calls[index] = { ...call, status, code };
    };
  }

  forget(): void {
    this.#calls = [];
  }

  get all(): readonly ApiCall[] {
    return [...this.#calls];
  }

  of(pattern: string): readonly ApiCall[] {
    return this.#calls.filter(({ method, path }) => matchesRoute(pattern, method, path));
  }
}
