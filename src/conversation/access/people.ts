import { partsOf } from '../../contract.ts';
import { inlineCode, personWords } from '../../lib/plain-text.ts';
import { dayWords, durationWords } from '../../lib/time-words.ts';
import { accountOf, type Device, deviceChannel } from '../devices/device.ts';
import type { Acquaintance, CodeHolder, GivenCode, Link, PairedPerson } from '../people-store.ts';

/** The devices that are paired now. */
export interface KnownDevices {
  find(id: string): Device | undefined;
  /** Of these accounts' people; those of all, where none are named. The oldest first. */
  all(principals?: readonly string[]): readonly Device[];
}

/** All accounts of the person to whom this one belongs: itself included, sorted, devices last. Known without waiting for anything. */
export type AccountsOf = (principal: string) => readonly string[];

export type Accounts = ReturnType<typeof createAccounts>;

/** A link between accounts, as far as it says who is one person: those with the same one. */
type AccountLink = Pick<Link, 'principal' | 'person'>;

/**
 * Which accounts belong to one person: what the config says, and what people have linked with codes. An account of both
 * joins them. A device is an account of the person who paired it, as long as it is paired. All as principals. `fixed`: the
 * accounts of each person in the config, the same list as long as that is the same.
 */
export function createAccounts(fixed: () => readonly (readonly string[])[], linked: readonly AccountLink[]) {
  let links = linked;
  let devices: KnownDevices | undefined;
  /** The accounts of each person, by each of them; and the config's part of that. */
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

    /** These devices count as accounts of the people who have paired them. */
    include(paired: KnownDevices): void {
      devices = paired;
    },

    /** The accounts of each person who has several. */
    persons: (): readonly (readonly string[])[] =>
      [...new Set(persons().values())].filter((accounts) => accounts.length > 1),

    /** Whether the config says whose account it is: no command undoes that. */
    isFixed: (principal: string): boolean => fixed().some((accounts) => accounts.includes(principal)),

    /** These are all links that people have made, and that is stored. */
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

/** Groups that share an account are one person. */
function personsOf(groups: readonly (readonly string[])[]): Persons {
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

interface OwnersParts {
  /** The owners whom the config names, as principals: `telegram:123456`. */
  readonly fixed: () => readonly string[];
  /** The person at the machine. */
  readonly local: () => readonly string[];
  readonly claimed: readonly string[];
  readonly accountsOf: AccountsOf;
}

export type Owners = ReturnType<typeof createOwners>;

/**
 * The people whom this Keyturn belongs to: those that the config names or, if it names nobody, the person who claimed it; and
 * the person at the machine. All accounts of such a person are owners.
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
    /** Whether nobody can be reached over the network: then the first to show the code becomes the owner. */
    isUnclaimed: (): boolean => fixed().length === 0 && claimed.length === 0,
    /** Somebody has claimed it, and that is stored. */
    add: (principal: string): void => void claimed.push(principal),
  };
}

/** What a stranger is told, with a code or without. */
export function strangerWords(principal: string, given: GivenCode | undefined, now: number): string {
  const start = 'I am a private assistant and only talk with people whom my owner has let in.';
  if (given === undefined) return `${start} If that should be you: your id here is ${inlineCode(principal)}.`;
  return [
    `${start} If you know my owner, ask them: they let you in by writing ${inlineCode(`/pair ${given.code}`)} to me.`,
    `That code is good for ${durationWords(given.expiresAt - now)}. Tell it to nobody else.`,
    `I have not kept what you wrote: write it again once you are let in. Your id here is ${inlineCode(principal)}.`,
  ].join('\n\n');
}

export const welcomeWords = '🔑 You are let in. Write to me whenever you like; `/help` shows what I know.';

export function pairedWords(person: Acquaintance, sharesFiles: boolean): string {
  const files = sharesFiles
    ? ' They work in the same folder as you, and can read what is in it. To part people, put `{sender}` into `workspace` in my config.'
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
      ? 'Nobody was let in with a code. The owners, and whom the config names, may talk in any case.'
      : ['Let in with a code:', ...people, '', 'End it with `/unpair ID`.'].join('\n'),
    asking.length === 0
      ? 'Nobody has a code.'
      : ['Have a code, and ask to be let in:', ...asking, '', 'Let one in with `/pair CODE`: they have it.'].join('\n'),
  ].join('\n\n');
}
