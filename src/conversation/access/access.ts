/** Who people are, with all their accounts; which chats got another id; and who may talk and command where. */
import type { ChannelBlock } from '../../config/extension-settings.ts';
import {
  type Conversation,
  conversationId,
  type InboundEvent,
  partsOf,
  principalOf,
  type Sender,
} from '../../contract.ts';
import type { Access, Command } from '../../engine/message.ts';

interface AccessParts {
  /** The enabled channels, with who may talk there; their groups are by name: see `groupNames`. */
  readonly rules: () => ReadonlyMap<string, ChannelBlock>;
  readonly owners: Pick<Owners, 'isOwner'>;
  readonly paired: ReadonlySet<string>;
  readonly accountsOf: AccountsOf;
  readonly formerChats: MovedChats['formerChats'];
}

export type ConfiguredAccess = ReturnType<typeof createAccess>;

/**
 * Decides who may talk and use commands where: from the config, the owners, and the people whom they let in. People are
 * identified by account (`telegram:123456`), never by name.
 */
export function createAccess({ rules, owners, paired, accountsOf, formerChats }: AccessParts) {
  const isOwner = (principal: string): boolean => owners.isOwner(principal);
  const allowed = (principal: string): readonly string[] => rules().get(partsOf(principal).channel)?.allow_from ?? [];
  /** Whether the config lists this very id for the whole channel. */
  const isListed = (principal: string): boolean => allowed(principal).includes(partsOf(principal).senderId);
  /** Whether this very account was let in: as an owner, by its id in the config, or with a code. */
  const isItselfLetIn = (principal: string): boolean =>
    isOwner(principal) || paired.has(principal) || isListed(principal);
  const accountsOn = (channel: string, principal: string): readonly string[] =>
    accountsOf(principal).filter((account) => partsOf(account).channel === channel);

  /** Whether they may talk directly without having used a code. */
  const isNamed = (principal: string): boolean =>
    isOwner(principal) || isListed(principal) || allowed(principal).includes('*');

  /** Whether any account of theirs was let in. */
  const isLetIn = (principal: string): boolean => accountsOf(principal).some(isItselfLetIn);

  /** Whether they may talk directly, for any reason but their roles. */
  const mayTalk = (principal: string): boolean => isNamed(principal) || isLetIn(principal);

  /** The rules of a place. A group that the config does not name is looked up by its former ids too. */
  function rulesAt(conversation: Conversation): PlaceRules {
    const { allow_from: allowFrom = [], groups = {} } = rules().get(conversation.channel) ?? {};
    if (conversation.kind === 'direct') return { allowFrom };
    const isNamed = (name: string): boolean => Object.hasOwn(groups, name);
    const named = groupNames(conversation).find(isNamed) ?? formerChats(conversation).find(isNamed);
    return { allowFrom, group: named === undefined ? undefined : groups[named] };
  }

  /** Decides about an event before anything is stored. Owners may talk in all direct chats and configured groups. */
  function accessOf(event: InboundEvent): Access {
    const { sender, conversation } = event;
    // As an id, `*` would match the lists that are open to everyone.
    if (sender.id === '' || sender.id === '*') return { type: 'ignore', reason: 'nobody' };
    const { allowFrom, group } = rulesAt(conversation);
    const known = isKnown(sender, conversation, [...allowFrom, ...(group?.allow_from ?? [])]);
    if (!sender.isPerson && !known) return { type: 'ignore', reason: 'not a person' };
    if (conversation.kind === 'direct') return known ? { type: 'welcome' } : { type: 'refuse' };

    const isCalled = event.type === 'message' && event.addressed;
    if (group === undefined) {
      return isCalled && sender.isPerson && isOwner(principalOf(conversation.channel, sender.id))
        ? { type: 'unknown-group' }
        : { type: 'ignore', reason: 'this group is not in the config' };
    }
    if (!known) return isCalled ? { type: 'turn-away' } : { type: 'ignore', reason: 'a stranger in a group' };
    if (event.type === 'message' && !isCalled && group.require_mention)
      return { type: 'ignore', reason: 'not addressed' };
    return { type: 'welcome' };
  }

  /** `listed`: who the config lets talk there. */
  function isKnown(
    { id, isPerson, roles = [] }: Sender,
    { channel, kind }: Conversation,
    listed: readonly string[],
  ): boolean {
    // A program is let in only by its own id.
    if (!isPerson) return listed.includes(id);
    if (roles.some((role) => listed.includes(role))) return true;
    const principal = principalOf(channel, id);
    if (kind === 'direct') return mayTalk(principal);
    // Being let in on one platform grants nothing in groups of another.
    const own = accountsOn(channel, principal);
    const isLetInHere = own.some((account) => paired.has(account) || listed.includes(partsOf(account).senderId));
    return isOwner(principal) || listed.includes('*') || isLetInHere;
  }

  return {
    accessOf,
    isOwner,
    isNamed,
    isLetIn,
    mayTalk,

    /** Whether another account of theirs was let in. */
    isLinkedIn: (principal: string): boolean =>
      accountsOf(principal).some((account) => account !== principal && isItselfLetIn(account)),

    isWelcome(sender: Sender, conversation: Conversation): boolean {
      const call = { type: 'message', key: '', conversation, sender, text: '', addressed: true, sentAt: 0 } as const;
      return accessOf(call).type === 'welcome';
    },

    /** The time zone that the config has for a group. */
    timeZoneIn: (conversation: Conversation): string | undefined => rulesAt(conversation).group?.time_zone,

    followsThreads: (conversation: Conversation): boolean => rulesAt(conversation).group?.follow_threads === true,

    /** Whether a person who may talk here may also use this command here. Approvals have their own rules. */
    mayCommand(command: Command, { sender, conversation }: InboundEvent): boolean {
      if (!sender.isPerson) return false;
      const { group } = rulesAt(conversation);
      if (group === undefined || forEverybody.includes(command.name)) return true;
      const principal = principalOf(conversation.channel, sender.id);
      const ids = accountsOn(conversation.channel, principal).map((account) => partsOf(account).senderId);
      const names = ['*', ...ids, ...(sender.roles ?? [])].filter((name) => name !== 'owner');
      // Owners may command everywhere: a list of "owner" alone means only they may.
      return names.some((name) => group.commands_from.includes(name)) || isOwner(principal);
    },

    /** The former id that the config still uses for a moved group; undefined if it has the new id, or neither. */
    outdatedId(from: Conversation, chatId: string): string | undefined {
      const groups = rules().get(from.channel)?.groups ?? {};
      if (Object.hasOwn(groups, chatId)) return undefined;
      return [from.chatId, ...formerChats(from)].find((id) => Object.hasOwn(groups, id));
    },
  };
}

interface PlaceRules {
  readonly allowFrom: readonly string[];
  /** Undefined in direct chats, and in groups that the config does not name. */
  readonly group?: ChannelBlock['groups'][string] | undefined;
}

/** These change nothing, except the last two, which check the approvers themselves. */
const forEverybody: readonly string[] = ['help', 'start', 'status', 'approve', 'deny'];

/**
 * The names that the config may use for a group, most specific first: with its tenant, without, and the tenant alone,
 * for all its groups that are not named.
 */
export function groupNames({ tenant, chatId }: Conversation): readonly [string, ...string[]] {
  return tenant === undefined ? [chatId] : [`${tenant}/${chatId}`, chatId, tenant];
}

/** A conversation goes on under another id. */
interface Move {
  /** The new id. */
  readonly id: string;
  readonly conversationId: string;
}

export type MovedChats = ReturnType<typeof createMovedChats>;

/** Knows the chats whose id the platform has changed. They are few, so all are in memory. */
export function createMovedChats(stored: readonly Move[]) {
  const moves = new Map(stored.map((move) => [move.id, move.conversationId]));
  /** The ids that chats got since this process began, by conversation. */
  const latest = new Map<string, string>();

  /** The id of a conversation. A chat keeps its first one when the platform gives it another. */
  function idOf(conversation: Conversation): string {
    const name = conversationId(conversation);
    return moves.get(name) ?? name;
  }

  return {
    idOf,
    /** The former ids of a chat, the first one first. */
    formerChats({ threadId: _thread, ...chat }: Conversation): readonly string[] {
      const name = conversationId(chat);
      const first = moves.get(name);
      if (first === undefined) return [];
      const later = [...moves].flatMap(([id, conversation]) => (conversation === first && id !== name ? id : []));
      return [first, ...later.toSorted()].map(chatIdOf);
    },
    /** Returns the id of the conversation that goes on as `chatId`. */
    add(from: Conversation, chatId: string): string {
      const first = idOf(from);
      const id = conversationId({ ...from, chatId });
      if (id !== first) moves.set(id, first);
      latest.set(first, chatId);
      return first;
    },
    /** The place with the chat's id of now. The given one was read while this process runs. */
    placeNow(conversation: Conversation): Conversation {
      const chatId = latest.get(idOf(conversation));
      return chatId === undefined ? conversation : { ...conversation, chatId };
    },
  };
}

/** The chat of a conversation id without a thread. */
function chatIdOf(name: string): string {
  return decodeURIComponent(name.slice(name.lastIndexOf(':') + 1));
}

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

/** A phone, a browser or a script that a person has paired with their account. */
export interface Device {
  readonly id: string;
  /** The owner's name for it. */
  readonly name: string;
  /** The account that it was paired under: `telegram:123456`. */
  readonly principal: string;
  /** The name of its owner. */
  readonly personName: string;
  readonly createdAt: number;
  /** Undefined if it has never connected. */
  readonly lastSeenAt?: number | undefined;
}

/** The account of a device: `device:k3f9abcd2m`. */
export function accountOf({ id }: Pick<Device, 'id'>): string {
  return principalOf(deviceChannel, id);
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
      const { channel, senderId } = partsOf(principal);
      const paired = channel === deviceChannel ? devices?.find(senderId)?.principal : undefined;
      const accounts = persons().get(paired ?? principal) ?? [paired ?? principal];
      return [...accounts, ...(devices?.all(accounts) ?? []).map(accountOf)];
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
