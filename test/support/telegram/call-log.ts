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

/** Every request in the order in which they came. */
export class CallLog {
  #calls: ApiCall[] = [];

  /** Writes a request down; the returned function adds how it ended. */
  begin(call: Omit<ApiCall, 'status'>): (status: number) => void {
    const calls = this.#calls;
    const index = calls.push({ ...call, status: undefined }) - 1;
    return (status) => {
      calls[index] = { ...call, status };
    };
  }

  forget(): void {
    this.#calls = [];
  }

  get all(): readonly ApiCall[] {
    return [...this.#calls];
  }

  of(method: string): readonly ApiCall[] {
    return this.#calls.filter((call) => call.method.toLowerCase() === method.toLowerCase());
  }
}
