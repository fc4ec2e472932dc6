import type { Clock } from './clock.ts';

/** An LRU cache. `weigh` returns the size of a value, by default 1; `most` limits the sum. */
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

  /** The values, the least recently used first. */
  values(): readonly Value[] {
    return [...this.#entries.values()];
  }

  set(key: Key, value: Value): void {
    this.#renew(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#held <= this.#most) return;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#held = 0;
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

/** An LRU cache whose entries expire. */
export class Perishable<Key, Value> {
  readonly #clock: Clock;
  readonly #entries: Remembered<Key, Entry<Value>>;

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

  /** The values that have not expired, the least recently used first. */
  values(): readonly Value[] {
    const now = this.#clock.now();
    return this.#entries.values().flatMap(({ value, until }) => (now < until ? [value] : []));
  }

  /** `lifetime` is in ms. */
  set(key: Key, value: Value, lifetime: number): void {
    this.#entries.set(key, { value, until: this.#clock.now() + lifetime });
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
