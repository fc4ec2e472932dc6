import type { Clock } from '../../src/lib/clock.ts';

interface Entry<Value> {
  readonly value: Value;
  readonly until: number;
}

/** A memory that forgets: what was used least lately when there is too much, and everything after its time. */
export class Remembered<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #clock: Clock;
  readonly #most: number;

  constructor({ clock, most }: { readonly clock: Clock; readonly most: number }) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Forgets it after so many milliseconds; left out, only to make room. */
  set(key: string, value: Value, lifetime = Number.POSITIVE_INFINITY): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: this.#clock.now() + lifetime });
    if (this.#entries.size <= this.#most) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= this.#clock.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
