import type { AccountsOf } from './accounts.ts';

/**
 * The people whom this Keyturn belongs to: those that the config names or, if it names nobody, whoever claimed it; and
 * whoever sits at the machine. All accounts of such a person are owners.
 */
export class Owners {
  readonly #fixed: readonly string[];
  readonly #local: readonly string[];
  readonly #accountsOf: AccountsOf;
  #claimed: readonly string[];

  /** All as principals: `telegram:123456`. */
  constructor(owners: {
    readonly fixed: readonly string[];
    readonly local: readonly string[];
    readonly claimed: readonly string[];
    readonly accountsOf: AccountsOf;
  }) {
    this.#fixed = owners.fixed;
    this.#local = owners.local;
    this.#accountsOf = owners.accountsOf;
    this.#claimed = owners.claimed;
  }

  all(): readonly string[] {
    const named = this.#fixed.length > 0 ? this.#fixed : this.#claimed;
    return [...new Set([...named, ...this.#local].flatMap(this.#accountsOf))];
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
