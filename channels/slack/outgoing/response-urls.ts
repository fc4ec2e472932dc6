import type { Clock } from '../../../src/lib/clock.ts';
import { Perishable } from '../../../src/lib/perishable.ts';

/** So long does Slack take answers at such an address, in milliseconds, and so often. */
const lifetime = 30 * 60_000;
const uses = 5;
const mostCommands = 1_000;

/** The name under which a slash command is answered in private: who gave it, and what makes it one of its kind. */
export function commandKey(userId: string, once: string): string {
  return `${userId}:${once}`;
}

/** Whom a message is for alone, if it is for somebody alone. */
export function commanderOf(privateTo: string | undefined): string | undefined {
  return privateTo?.split(':')[0];
}

/** The addresses at which commands can be answered, also where the bot is not. Each holds for 30 minutes and five answers. */
export class ResponseUrls {
  readonly #addresses: Perishable<string, { readonly url: string; left: number }>;

  constructor(clock: Clock) {
    this.#addresses = new Perishable({ clock, most: mostCommands });
  }

  remember(key: string, url: string): void {
    this.#addresses.set(key, { url, left: uses }, lifetime);
  }

  /** The address, which is used now. Undefined where none holds any more. */
  take(key: string): string | undefined {
    const address = this.#addresses.get(key);
    if (address === undefined || address.left === 0) return undefined;
    address.left -= 1;
    return address.url;
  }
}
