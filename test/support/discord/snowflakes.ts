const discordEpoch = 1_420_070_400_000;

/** Ids as Discord gives them: what was made later has the greater one, and the time stands in it. */
export class Snowflakes {
  readonly #now: () => number;
  #last = 0n;

  constructor(now: () => number) {
    this.#now = now;
  }

  next(): string {
    const fresh = BigInt(Math.trunc(this.#now()) - discordEpoch) << 22n;
    this.#last = fresh > this.#last ? fresh : this.#last + 1n;
    return String(this.#last);
  }
}
