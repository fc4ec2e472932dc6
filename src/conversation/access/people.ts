import type { Acquaintance } from '../people-store.ts';
import type { Owners } from './owners.ts';

/** Who is known by id beside those whom the config lists: the owners, and whom they have let in. */
export class People {
  readonly #owners: Owners;
  readonly #paired: Set<string>;

  constructor(owners: Owners, paired: readonly Acquaintance[]) {
    this.#owners = owners;
    this.#paired = new Set(paired.map(({ principal }) => principal));
  }

  isOwner(principal: string): boolean {
    return this.#owners.isOwner(principal);
  }

  isPaired(principal: string): boolean {
    return this.#paired.has(principal);
  }

  /** An owner has let somebody in, and that is stored. */
  add(principal: string): void {
    this.#paired.add(principal);
  }

  /** Somebody is let in no longer, and that is stored. */
  remove(principal: string): void {
    this.#paired.delete(principal);
  }
}
