/**
 * The people whom this Keyturn belongs to: those that the config names or, if it names nobody, whoever claimed it; and
 * whoever sits at the machine.
 */
export class Owners {
  readonly #fixed: readonly string[];
  readonly #local: readonly string[];
  #claimed: readonly string[];

  /** All as principals: `telegram:123456`. */
  constructor(owners: {
    readonly fixed: readonly string[];
    readonly local: readonly string[];
    readonly claimed: readonly string[];
  }) {
    this.#fixed = owners.fixed;
    this.#local = owners.local;
    this.#claimed = owners.claimed;
  }

  all(): readonly string[] {
    const named = this.#fixed.length > 0 ? this.#fixed : this.#claimed;
    return [...new Set([...named, ...this.#local])];
  }

  isOwner(principal: string): boolean {
    return this.all().includes(principal);
  }

  /** Whether nobody can be reached over the network: then the first to show the code becomes the owner. */
  isUnclaimed(): boolean {
    return this.#fixed.length === 0 && this.#claimed.length === 0;
  }

  /** Somebody has claimed it, and that is stored. */
  add(principal: string): void {
    this.#claimed = [...this.#claimed, principal];
  }
}
