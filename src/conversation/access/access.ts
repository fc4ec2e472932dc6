/** Who people are, with all their accounts, and who of them owns this Keyturn. */
import { partsOf, principalOf } from '../../contract.ts';
import type { Origin } from '../../engine/message.ts';

/** A person with an id. The name is for display only. */
export interface Acquaintance {
  readonly principal: string;
  readonly name: string;
}

/** An account that somebody has linked with others by a code. Links with the same `person` belong together. */
export interface Link extends Acquaintance {
  /** An opaque id, not an account. */
  readonly person: string;
  readonly linkedAt: number;
}

export const deviceChannel = 'device';

/** A phone, a browser or a script that a person has paired with their account, or a browser where they have signed in. */
export interface Device {
  readonly id: string;
  /** The owner's name for it. */
  readonly name: string;
  /** The account that it was paired under: `telegram:123456`. */
  readonly principal: string;
  /** The name of its owner. */
  readonly personName: string;
  /** Whether they have signed in there: it shows the page, and has no code. */
  readonly isBrowser: boolean;
  readonly createdAt: number;
  /** Undefined if it has never connected. */
  readonly lastSeenAt?: number | undefined;
}

/** The account of a device: `device:k3f9abcd2m`. */
export function accountOf({ id }: Pick<Device, 'id'>): string {
  return principalOf(deviceChannel, id);
}

/**
 * Whether it comes from a device, or a browser where somebody has signed in, wherever it is obeyed. Who stole one must not let in
 * what outlives its revocation.
 */
export function isFromDevice({ conversation, isAside }: Pick<Origin, 'conversation' | 'isAside'>): boolean {
  return conversation.channel === deviceChannel || isAside === true;
}

/** The accounts without devices: a device follows the person who paired it, and is never linked by itself. */
export function withoutDevices(accounts: readonly string[]): readonly string[] {
  return accounts.filter((account) => partsOf(account).channel !== deviceChannel);
}

/** A pairing code for a device, as shown to a person. */
export interface DeviceCode {
  readonly code: string;
  /** The name that the device gets; if undefined, the device chooses. */
  readonly name?: string | undefined;
  readonly expiresAt: number;
}

/** The paired devices. */
export interface KnownDevices {
  find(id: string): Device | undefined;
  /** The devices of the people with these accounts, or of everybody. Oldest first. */
  all(principals?: readonly string[]): readonly Device[];
}

/** All accounts of this account's owner: itself included, sorted, devices last. Synchronous. */
export type AccountsOf = (principal: string) => readonly string[];

/**
 * Groups accounts (principals) into people: from the config and from links made with codes. Groups that share an account are
 * merged. A paired device is an account of the person who paired it.
 */
export interface Accounts {
  readonly accountsOf: AccountsOf;
  /** Counts these devices as accounts of the people who paired them. */
  include(paired: KnownDevices): void;
  /** The paired devices of everybody, the oldest first. */
  devices(): readonly Device[];
  /** The accounts of each person with more than one. */
  persons(): readonly (readonly string[])[];
  /** Whether the config assigns this account: no command changes that. */
  isFixed(principal: string): boolean;
  /** Replaces the links with these, which are all stored ones. */
  renew(stored: readonly AccountLink[]): void;
}

/** The part of a link that groups accounts. */
type AccountLink = Pick<Link, 'principal' | 'person'>;

/** The groups in the config: the same list as long as the config is unchanged. */
type FixedGroups = () => readonly (readonly string[])[];

export function createAccounts(fixed: FixedGroups, linked: readonly AccountLink[]): Accounts {
  const people = new People(fixed, linked);
  return {
    accountsOf: (principal) => people.accountsOf(principal),
    include: (paired) => people.include(paired),
    devices: () => people.devices(),
    persons: () => [...new Set(people.persons().values())].filter((accounts) => accounts.length > 1),
    isFixed: (principal) => fixed().some((accounts) => accounts.includes(principal)),
    renew: (stored) => people.renew(stored),
  };
}

class People {
  readonly #fixed: FixedGroups;
  #links: readonly AccountLink[];
  #devices: KnownDevices | undefined;
  /** A cache: the accounts of each person, by account, and the config's part that it was computed from. */
  #known: { readonly fixed: readonly (readonly string[])[]; readonly accounts: Persons } | undefined;

  constructor(fixed: FixedGroups, linked: readonly AccountLink[]) {
    this.#fixed = fixed;
    this.#links = linked;
  }

  persons(): Persons {
    const fixed = this.#fixed();
    if (this.#known?.fixed !== fixed)
      this.#known = { fixed, accounts: personsOf([...fixed, ...groupsOf(this.#links)]) };
    return this.#known.accounts;
  }

  accountsOf(principal: string): readonly string[] {
    const { channel, senderId } = partsOf(principal);
    const paired = channel === deviceChannel ? this.#devices?.find(senderId)?.principal : undefined;
    const accounts = this.persons().get(paired ?? principal) ?? [paired ?? principal];
    return [...accounts, ...(this.#devices?.all(accounts) ?? []).map(accountOf)];
  }

  include(paired: KnownDevices): void {
    this.#devices = paired;
  }

  devices(): readonly Device[] {
    return this.#devices?.all() ?? [];
  }

  renew(stored: readonly AccountLink[]): void {
    this.#links = stored;
    this.#known = undefined;
  }
}

type Persons = ReadonlyMap<string, readonly string[]>;

function groupsOf(links: readonly AccountLink[]): readonly (readonly string[])[] {
  return [...Map.groupBy(links, ({ person }) => person).values()].map((accounts) =>
    accounts.map(({ principal }) => principal),
  );
}

/** Merges groups that share an account. */
function personsOf(groups: readonly (readonly string[])[]): Persons {
  const persons = new Map<string, readonly string[]>();
  for (const group of groups) {
    const joined = new Set(group.flatMap((account) => [account, ...(persons.get(account) ?? [])]));
    const accounts = [...joined].sort();
    for (const account of accounts) persons.set(account, accounts);
  }
  return persons;
}

/**
 * The owners of this Keyturn: those in the config or, if it has none, the person who claimed it; and the person at the
 * machine. All accounts of these people are owners.
 */
export interface Owners {
  all(): readonly string[];
  isOwner(principal: string): boolean;
  /** Whether no owner is reachable over the network: then the first person with the code becomes one. */
  isUnclaimed(): boolean;
  /** Adds the person whose claim is stored. */
  add(principal: string): void;
}

interface OwnersParts {
  /** The owners in the config, as principals: `telegram:123456`. */
  readonly fixed: () => readonly string[];
  /** The person at the machine, in running channels. */
  readonly local: () => readonly string[];
  /** The account of the user who runs Keyturn, for what they begin at its socket: an owner, whether or not they are there now. */
  readonly user?: string;
  readonly claimed: readonly string[];
  readonly accountsOf: AccountsOf;
}

export function createOwners(parts: OwnersParts): Owners {
  const claimed = [...parts.claimed];
  return {
    all: () => allOwners(claimed, parts),
    isOwner: (principal) => isOfUser(principal, parts) || allOwners(claimed, parts).includes(principal),
    isUnclaimed: () => parts.fixed().length === 0 && claimed.length === 0,
    add: (principal) => void claimed.push(principal),
  };
}

/** Whether it is an account of the user: theirs at the machine, or a browser where they have signed in. */
function isOfUser(principal: string, { user, accountsOf }: OwnersParts): boolean {
  return user !== undefined && (principal === user || accountsOf(user).includes(principal));
}

function allOwners(claimed: readonly string[], { fixed, local, accountsOf }: OwnersParts): readonly string[] {
  const named = fixed().length > 0 ? fixed() : claimed;
  return [...new Set([...named, ...local()].flatMap(accountsOf))];
}
