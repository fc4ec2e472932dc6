/** Names that Slack gives. They tell nothing, and none is given twice. */
export class Identifiers {
  readonly #now: () => number;
  #count = 0;
  #lastMicroseconds = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** An id with that beginning: `F` for a file, `Ev` for an event. */
  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}0${this.#count.toString(36).toUpperCase().padStart(9, '0')}`;
  }

  /** The name of a message and the time at which it came, in seconds since 1970. Each is later than the one before. */
  timestamp(): string {
    const microseconds = Math.max(this.#now() * 1000, this.#lastMicroseconds + 100);
    this.#lastMicroseconds = microseconds;
    return `${Math.floor(microseconds / 1_000_000)}.${String(microseconds % 1_000_000).padStart(6, '0')}`;
  }
}
