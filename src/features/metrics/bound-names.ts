/** What stands for all names that have no label of their own. */
const otherNames = 'other';

/**
 * Names as labels. Models make names of tools up, and servers of others bring any number: each name would be a series that
 * Prometheus keeps.
 */
export class BoundNames {
  readonly #isKnown: (name: string) => boolean;
  readonly #most: number;
  readonly #seen = new Set<string>();

  constructor(most: number, isKnown: (name: string) => boolean = () => true) {
    this.#most = most;
    this.#isKnown = isKnown;
  }

  /** The name itself if it is known and among the first that many; else `other`. */
  of(name: string): string {
    if (this.#seen.has(name)) return name;
    if (this.#seen.size >= this.#most || !this.#isKnown(name)) return otherNames;
    this.#seen.add(name);
    return name;
  }
}
