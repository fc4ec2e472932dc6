import type { Clock } from '../../lib/clock.ts';
import type { Accounts, Owners } from './access.ts';
import type { PeopleStore } from './pairing.ts';

/** Who may talk, who asks to, and with what. Instants are ms since 1970. */
export interface PeopleFacts {
  /** The accounts of owners: of the config, who claimed it, and who sits at the terminal. */
  readonly owners: readonly string[];
  readonly paired: readonly PairedFacts[];
  readonly waiting: readonly AskingFacts[];
  readonly refused: readonly AskingFacts[];
  /** The accounts of each person with more than one. */
  readonly linked: readonly (readonly string[])[];
}

export interface PairedFacts {
  readonly principal: string;
  readonly name: string;
  readonly by: string;
  readonly at: number;
}

/** Until when they wait, or are not heard. */
export interface AskingFacts {
  readonly principal: string;
  readonly name: string;
  readonly until: number;
}

export interface DeviceFacts {
  readonly id: string;
  readonly name: string;
  readonly person: string;
  readonly personName: string;
  /** Whether the person has signed in there, instead of pairing it. */
  readonly isBrowser: boolean;
  readonly createdAt: number;
  readonly lastSeenAt: number | undefined;
}

interface FactsParts {
  readonly owners: Pick<Owners, 'all'>;
  readonly accounts: Pick<Accounts, 'persons'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly store: { readonly people: Pick<PeopleStore, 'paired' | 'codeHolders' | 'refused'> };
}

export async function peopleFacts({ owners, accounts, clock, store: { people } }: FactsParts): Promise<PeopleFacts> {
  const now = clock.now();
  const [paired, holders, refused] = await Promise.all([people.paired(), people.codeHolders(now), people.refused(now)]);
  return {
    owners: owners.all(),
    paired: paired.map(({ principal, name, pairedBy: by, pairedAt: at }) => ({ principal, name, by, at })),
    waiting: holders.map(({ principal, name, expiresAt: until }) => ({ principal, name, until })),
    refused: refused.map(({ principal, name, until }) => ({ principal, name, until })),
    linked: accounts.persons(),
  };
}

/** The paired devices and the browsers, the oldest first. */
export function deviceFacts({ accounts }: { readonly accounts: Pick<Accounts, 'devices'> }): readonly DeviceFacts[] {
  return accounts.devices().map(({ id, name, principal: person, personName, isBrowser, createdAt, lastSeenAt }) => ({
    id,
    name,
    person,
    personName,
    isBrowser,
    createdAt,
    lastSeenAt,
  }));
}
