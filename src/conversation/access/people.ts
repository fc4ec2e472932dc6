import { partsOf } from '../../contract.ts';
import { inlineCode, personWords } from '../../lib/plain-text.ts';
import { dayWords, durationWords } from '../../lib/time-words.ts';
import { accountOf, type Device, deviceChannel } from '../devices/device.ts';
import type { Acquaintance, CodeHolder, GivenCode, Link, PairedPerson } from '../people-store.ts';

/** The paired devices. */
export interface KnownDevices {
  find(id: string): Device | undefined;
  /** The devices of the people with these accounts, or of everybody. Oldest first. */
  all(principals?: readonly string[]): readonly Device[];
}

/** All accounts of this account's owner: itself included, sorted, devices last. Synchronous. */
export type AccountsOf = (principal: string) => readonly string[];

export type Accounts = ReturnType<typeof createAccounts>;

/** The part of a link that groups accounts. */
type AccountLink = Pick<Link, 'principal' | 'person'>;

/**
 * Groups accounts (principals) into people: from the config (`fixed`) and from links made with codes. Groups that share
 * an account are merged. A paired device is an account of the person who paired it. `fixed` returns the same list as
 * long as the config is unchanged.
 */
export function createAccounts(fixed: () => readonly (readonly string[])[], linked: readonly AccountLink[]) {
  let links = linked;
  let devices: KnownDevices | undefined;
  /** A cache: the accounts of each person, by account, and the config's part that it was computed from. */
  let known: { readonly fixed: readonly (readonly string[])[]; readonly accounts: Persons } | undefined;

  function persons(): Persons {
    const inConfig = fixed();
    if (known?.fixed !== inConfig) known = { fixed: inConfig, accounts: personsOf([...inConfig, ...groupsOf(links)]) };
    return known.accounts;
  }

  return {
    accountsOf(principal: string): readonly string[] {
      const paired = devices === undefined ? principal : pairedUnder(devices, principal);
      const accounts = persons().get(paired) ?? [paired];
      const own = devices?.all().filter((device) => accounts.includes(device.principal)) ?? [];
      return own.length === 0 ? accounts : [...accounts, ...own.map(accountOf)];
    },

    /** Counts these devices as accounts of the people who paired them. */
    include(paired: KnownDevices): void {
      devices = paired;
    },

    /** The accounts of each person with more than one. */
    persons: (): readonly (readonly string[])[] =>
      [...new Set(persons().values())].filter((accounts) => accounts.length > 1),

    /** Whether the config assigns this account: no command changes that. */
    isFixed: (principal: string): boolean => fixed().some((accounts) => accounts.includes(principal)),

    /** Replaces the links with these, which are all stored ones. */
    renew(stored: readonly AccountLink[]): void {
      links = stored;
      known = undefined;
    },
  };
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

/** The account that a device was paired under; any other account unchanged. */
function pairedUnder(devices: KnownDevices, principal: string): string {
  const { channel, senderId: id } = partsOf(principal);
  return channel === deviceChannel ? (devices.find(id)?.principal ?? principal) : principal;
}

interface OwnersParts {
  /** The owners in the config, as principals: `telegram:123456`. */
  readonly fixed: () => readonly string[];
  /** The person at the machine. */
  readonly local: () => readonly string[];
  readonly claimed: readonly string[];
  readonly accountsOf: AccountsOf;
}

export type Owners = ReturnType<typeof createOwners>;

/**
 * The owners of this Keyturn: those in the config or, if it has none, the person who claimed it; and the person at the
 * machine. All accounts of these people are owners.
 */
export function createOwners({ fixed, local, accountsOf, ...parts }: OwnersParts) {
  const claimed = [...parts.claimed];
  function all(): readonly string[] {
    const named = fixed().length > 0 ? fixed() : claimed;
    return [...new Set([...named, ...local()].flatMap(accountsOf))];
  }
  return {
    all,
    isOwner: (principal: string): boolean => all().includes(principal),
    /** Whether no owner is reachable over the network: then the first person with the code becomes one. */
    isUnclaimed: (): boolean => fixed().length === 0 && claimed.length === 0,
    /** Adds the person whose claim is stored. */
    add: (principal: string): void => void claimed.push(principal),
  };
}

export function strangerWords(principal: string, given: GivenCode | undefined, now: number): string {
  const start = 'I am a private assistant and only talk to people my owner has let in.';
  if (given === undefined) return `${start} If that should be you: your id here is ${inlineCode(principal)}.`;
  return [
    `${start} If you know my owner, ask them: they let you in by writing ${inlineCode(`/pair ${given.code}`)} to me.`,
    `That code is good for ${durationWords(given.expiresAt - now)}. Tell nobody else.`,
    `I have not kept what you wrote: write it again once you are let in. Your id here is ${inlineCode(principal)}.`,
  ].join('\n\n');
}

export const welcomeWords = '🔑 You are let in. Write to me whenever you like; `/help` shows what I know.';

export function pairedWords(person: Acquaintance, sharesFiles: boolean): string {
  const files = sharesFiles
    ? ' They work in the same folder as you, and can read what is in it. To give people separate folders, put `{sender}` into `workspace` in my config.'
    : '';
  return `🔑 Let in: ${personWords(person)}. ${inlineCode(`/unpair ${person.principal}`)} undoes it.${files}`;
}

export function peopleReport(paired: readonly PairedPerson[], holders: readonly CodeHolder[], now: number): string {
  const people = paired.map(
    (person) => `- ${personWords(person)}, by ${inlineCode(person.pairedBy)} since ${dayWords(person.pairedAt)}`,
  );
  const asking = holders.map(
    (holder) => `- ${personWords(holder)}, for another ${durationWords(holder.expiresAt - now)}`,
  );
  return [
    people.length === 0
      ? 'Nobody was let in with a code. Owners and people named in the config may talk anyway.'
      : ['Let in with a code:', ...people, '', 'End it with `/unpair ID`.'].join('\n'),
    asking.length === 0
      ? 'Nobody has a code.'
      : ['Have a code, and ask to be let in:', ...asking, '', 'Let one in with `/pair CODE`: they have it.'].join('\n'),
  ].join('\n\n');
}
