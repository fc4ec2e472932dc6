import { partsOf } from '../../contract.ts';
import { accountOf, type Device, deviceChannel } from '../devices/device-stores.ts';

/** A link between accounts, as far as it says who is one person: those with the same one. */
export interface AccountLink {
  readonly principal: string;
  /** No account's own: a name that nobody reads. */
  readonly person: string;
}

/** The devices that are paired now. */
export interface KnownDevices {
  find(id: string): Device | undefined;
  /** Of these accounts' people; those of all, where none are named. The oldest first. */
  all(principals?: readonly string[]): readonly Device[];
}

/** All accounts of the person to whom this one belongs: itself included, sorted, devices last. Known without waiting for anything. */
export type AccountsOf = (principal: string) => readonly string[];

/**
 * Which accounts belong to one person: what the config says, and what people have linked with codes. An account of both
 * joins them. A device is an account of the person who paired it, as long as it is paired.
 */
export class Accounts {
  readonly accountsOf: AccountsOf;
  readonly #fixed: () => readonly (readonly string[])[];
  #links: readonly AccountLink[];
  #devices: KnownDevices | undefined;
  #persons: Persons | undefined;

  /** All as principals. `fixed`: the accounts of each person in the config, the same list as long as that is the same. */
  constructor({
    fixed,
    links,
  }: {
    readonly fixed: () => readonly (readonly string[])[];
    readonly links: readonly AccountLink[];
  }) {
    this.#fixed = fixed;
    this.#links = links;
    const linked: AccountsOf = (principal) => this.#known().get(principal) ?? [principal];
    this.accountsOf = (principal) =>
      this.#devices === undefined ? linked(principal) : withDevices(linked, this.#devices)(principal);
  }

  /** These devices count as accounts of the people who have paired them. */
  include(devices: KnownDevices): void {
    this.#devices = devices;
  }

  /** The accounts of each person who has several. */
  persons(): readonly (readonly string[])[] {
    return [...new Set(this.#known().values())].filter((accounts) => accounts.length > 1);
  }

  /** Whether the config says whose account it is: no command undoes that. */
  isFixed(principal: string): boolean {
    return this.#fixed().some((accounts) => accounts.includes(principal));
  }

  /** These are all links that people have made, and that is stored. */
  renew(links: readonly AccountLink[]): void {
    this.#links = links;
    this.#persons = undefined;
  }

  #known(): ReadonlyMap<string, readonly string[]> {
    const fixed = this.#fixed();
    if (this.#persons?.fixed !== fixed)
      this.#persons = { fixed, accounts: personsOf([...fixed, ...groupsOf(this.#links)]) };
    return this.#persons.accounts;
  }
}

/** The accounts of each person, by each of them; and the config's part of that. */
interface Persons {
  readonly fixed: readonly (readonly string[])[];
  readonly accounts: ReadonlyMap<string, readonly string[]>;
}

function groupsOf(links: readonly AccountLink[]): readonly (readonly string[])[] {
  return [...Map.groupBy(links, ({ person }) => person).values()].map((accounts) =>
    accounts.map(({ principal }) => principal),
  );
}

/** Groups that share an account are one person. */
function personsOf(groups: readonly (readonly string[])[]): ReadonlyMap<string, readonly string[]> {
  const persons = new Map<string, readonly string[]>();
  for (const group of groups) {
    const joined = new Set(group.flatMap((account) => [account, ...(persons.get(account) ?? [])]));
    const accounts = [...joined].sort();
    for (const account of accounts) persons.set(account, accounts);
  }
  return persons;
}

/** The account under which the device was paired whose account this is; the account itself if it is no device's. */
function pairedUnder(devices: KnownDevices, principal: string): string {
  const { channel, senderId: id } = partsOf(principal);
  return channel === deviceChannel ? (devices.find(id)?.principal ?? principal) : principal;
}

/** The same accounts of a person, with those of their devices: each counts as theirs as long as it is paired. */
function withDevices(
  accountsOf: (principal: string) => readonly string[],
  devices: KnownDevices,
): (principal: string) => readonly string[] {
  return (principal) => {
    const accounts = accountsOf(pairedUnder(devices, principal));
    const own = devices.all().filter((device) => accounts.includes(device.principal));
    return own.length === 0 ? accounts : [...accounts, ...own.map(accountOf)];
  };
}
