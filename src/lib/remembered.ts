import type { Clock } from './clock.ts';

/**
 * A memory that never grows too large: beyond the most that it holds, what was used least lately is forgotten. `weigh`: how much
 * of that one value takes. Left out: all take 1.
 */
export class Remembered<Key, Value> {
  readonly #most: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<Key, Value>();
  #held = 0;

  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#renew(key, value);
    return value;
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, value: Value): void {
    this.#renew(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#held <= this.#most) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#held -= this.#weigh(value);
  }

  #renew(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#held += this.#weigh(value);
  }
}

interface Entry<Value> {
  readonly value: Value;
  readonly until: number;
}

/** A memory of what holds for a time, and is forgotten after it, or before that when there is too much. */
export class Perishable<Key, Value> {
  readonly #clock: Clock;
  readonly #entries: Remembered<Key, Entry<Value>>;

  /** `weigh`: see `Remembered`. */
  constructor({
    clock,
    most,
    weigh = () => 1,
  }: {
    readonly clock: Clock;
    readonly most: number;
    readonly weigh?: (value: Value) => number;
  }) {
    this.#clock = clock;
    this.#entries = new Remembered(most, ({ value }) => weigh(value));
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#clock.now() < entry.until) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Forgets it after so many milliseconds. */
  set(key: Key, value: Value, lifetime: number): void {
    this.#entries.set(key, { value, until: this.#clock.now() + lifetime });
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}

/** Does the work when it is first asked for, and no second time. A failure is not kept: the next who asks tries again. */
export function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let done: Promise<Result> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
