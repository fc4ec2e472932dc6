/** Every request that a fake server was asked, in the order in which they came. */
export class CallLog<Call extends object> {
  readonly #isNamed: (call: Call, name: string) => boolean;
  #calls: Call[] = [];

  /** Takes what says whether a request is one of those that a test names so. */
  constructor(isNamed: (call: Call, name: string) => boolean) {
    this.#isNamed = isNamed;
  }

  /** Writes a request down; the returned function adds how it ended. */
  begin(call: Call): (ending: Partial<Call>) => void {
    const calls = this.#calls;
    const index = calls.push(call) - 1;
    return (ending) => {
      calls[index] = { ...call, ...ending };
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
