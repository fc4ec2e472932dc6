import type { Clock } from './clock.ts';
import { Remembered } from './remembered.ts';

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
