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
