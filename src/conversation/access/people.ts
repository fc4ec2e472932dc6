import { partsOf } from '../../contract.ts';
import { inlineCode, personWords } from '../../lib/plain-text.ts';
import { dayWords, durationWords } from '../../lib/time-words.ts';
import { accountOf, type Device, deviceChannel } from '../devices/device-stores.ts';
import type { Acquaintance, CodeHolder, GivenCode, PairedPerson } from '../people-store.ts';

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
  constructor(fixed: () => readonly (readonly string[])[], links: readonly AccountLink[]) {
    this.#fixed = fixed;
    this.#links = links;
    this.accountsOf = (principal) => {
      const linked = (account: string) => this.#known().get(account) ?? [account];
      if (this.#devices === undefined) return linked(principal);
      const accounts = linked(pairedUnder(this.#devices, principal));
      const own = this.#devices.all().filter((device) => accounts.includes(device.principal));
      return own.length === 0 ? accounts : [...accounts, ...own.map(accountOf)];
    };
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

/**
 * The people whom this Keyturn belongs to: those that the config names or, if it names nobody, the person who claimed it; and
 * the person at the machine. All accounts of such a person are owners.
 */
export class Owners {
  readonly #fixed: () => readonly string[];
  readonly #local: () => readonly string[];
  readonly #accountsOf: AccountsOf;
  #claimed: readonly string[];

  /** All as principals: `telegram:123456`. */
  constructor(owners: {
    readonly fixed: () => readonly string[];
    readonly local: () => readonly string[];
    readonly claimed: readonly string[];
    readonly accountsOf: AccountsOf;
  }) {
    this.#fixed = owners.fixed;
    this.#local = owners.local;
    this.#accountsOf = owners.accountsOf;
    this.#claimed = owners.claimed;
  }

  all(): readonly string[] {
    const fixed = this.#fixed();
    const named = fixed.length > 0 ? fixed : this.#claimed;
    return [...new Set([...named, ...this.#local()].flatMap(this.#accountsOf))];
  }

  isOwner(principal: string): boolean {
    return this.all().includes(principal);
  }

  /** Whether nobody can be reached over the network: then the first to show the code becomes the owner. */
  isUnclaimed(): boolean {
    return this.#fixed().length === 0 && this.#claimed.length === 0;
  }

  /** Somebody has claimed it, and that is stored. */
  add(principal: string): void {
    this.#claimed = [...this.#claimed, principal];
  }
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

/** What somebody is told who was let in. */
export const welcomeWords = '🔑 You are let in. Write to me whenever you like; `/help` shows what I know.';

/** What an owner is told of the person they let in. */
export function pairedWords(person: Acquaintance, sharesFiles: boolean): string {
  const files = sharesFiles
    ? ' They work in the same folder as you, and can read what is in it. To part people, put `{sender}` into `workspace` in my config.'
    : '';
  return `🔑 Let in: ${personWords(person)}. ${inlineCode(`/unpair ${person.principal}`)} undoes it.${files}`;
}

/** What `/people` shows. */
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
