import { channel } from 'node:diagnostics_channel';

/** Where every fake publishes each request once it is answered: the name of its platform, and the call. */
export const answeredRequests = '@keyturn/fakes:request';

/** Every request that a fake server was asked, in the order in which they came. */
export class CallLog<Call extends object> {
  readonly #platform: string;
  readonly #isNamed: (call: Call, name: string) => boolean;
  #calls: Call[] = [];

  /** Takes what says whether a request is one of those that a test names so. */
  constructor(platform: string, isNamed: (call: Call, name: string) => boolean) {
    this.#platform = platform;
    this.#isNamed = isNamed;
  }

  /** Writes a request down; the returned function adds how it ended. */
  begin(call: Call): (ending: Partial<Call>) => void {
    const calls = this.#calls;
    const index = calls.push(call) - 1;
    return (ending) => {
      const ended = { ...call, ...ending };
      calls[index] = ended;
      channel(answeredRequests).publish({ platform: this.#platform, call: ended });
    };
  }

  forget(): void {
    this.#calls = [];
  }

  get all(): readonly Call[] {
    return [...this.#calls];
  }

  of(name: string): readonly Call[] {
    return this.#calls.filter((call) => this.#isNamed(call, name));
  }
}
