import { BoundedRun } from './bounded-run.ts';

/** How long a pattern may look at one text, and all patterns at all texts of one value, in milliseconds. */
const patience = 50;
const patienceInAll = 200;

export interface BoundedPattern {
  test(text: string): boolean;
  /** As it is written: by that the validator tells one from another. */
  toString(): string;
}

/**
 * The patterns of somebody who is not to be trusted, in the form that the validator wants. A text that takes too long to be
 * looked at counts as one that fits, and so does every text when the time for all of them is over.
 */
export class BoundedPatterns {
  readonly #bounded = new BoundedRun();
  #left = patienceInAll;

  /** Another value is looked at: there is time again. */
  begin(): void {
    this.#left = patienceInAll;
  }

  /** Throws what `RegExp` throws. */
  readonly pattern = (source: string, flags: string): BoundedPattern => {
    const pattern = new RegExp(source, flags);
    return { test: (text) => this.#test(pattern, text), toString: () => String(pattern) };
  };

  #test(pattern: RegExp, text: string): boolean {
    if (this.#left <= 0) return true;
    const start = performance.now();
    const { done, result } = this.#bounded.run(() => pattern.test(text), Math.min(patience, this.#left));
    this.#left -= performance.now() - start;
    return !done || result === true;
  }
}

/** One of them, which has its time for itself. Throws what `RegExp` throws. */
export function boundedPattern(source: string, flags: string): BoundedPattern {
  const patterns = new BoundedPatterns();
  const pattern = patterns.pattern(source, flags);
  return {
    test(text) {
      patterns.begin();
      return pattern.test(text);
    },
    toString: () => pattern.toString(),
  };
}
