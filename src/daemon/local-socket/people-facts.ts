import type { LocalParts } from './local-parts.ts';

/** Who may talk, who asks to, and with what. Instants are ms since 1970. */
export interface PeopleFacts {
  /** The accounts of owners: of the config, who claimed it, and who sits at the terminal. */
  readonly owners: readonly string[];
  readonly paired: readonly PairedFacts[];
  readonly waiting: readonly { readonly principal: string; readonly name: string; readonly until: number }[];
  readonly refused: readonly { readonly principal: string; readonly name: string; readonly until: number }[];
  /** The accounts of each person with more than one. */
  readonly linked: readonly (readonly string[])[];
}

export interface PairedFacts {
  readonly principal: string;
  readonly name: string;
  readonly by: string;
  readonly at: number;
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

export async function peopleFacts({ services }: Pick<LocalParts, 'services'>): Promise<PeopleFacts> {
  const { owners, accounts, clock, store } = services;
  const now = clock.now();
  const [paired, holders, refused] = await Promise.all([
    store.people.paired(),
    store.people.codeHolders(now),
    store.people.refused(now),
  ]);
  return {
    owners: owners.all(),
    paired: paired.map(({ principal, name, pairedBy: by, pairedAt: at }) => ({ principal, name, by, at })),
    waiting: holders.map(({ principal, name, expiresAt: until }) => ({ principal, name, until })),
    refused: refused.map(({ principal, name, until }) => ({ principal, name, until })),
    linked: accounts.persons(),
  };
}

/** The paired devices and the browsers, the oldest first. */
export function deviceFacts({ services: { accounts } }: Pick<LocalParts, 'services'>): readonly DeviceFacts[] {
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
