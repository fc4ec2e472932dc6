import type { Conversation } from '../../contract.ts';
import { isTimeZone, machineTimeZone, type ReadersZone } from '../../lib/time-words.ts';
import type { AccountsOf } from './access.ts';

/** A zone as it is stored. `set`: the person has said it. */
export interface NotedZone {
  readonly principal: string;
  readonly source: 'set' | 'platform';
  readonly timeZone: string;
}

/**
 * A zone that holds for somebody, and why: they have set it · the config's `people` · the platform tells it · the config's
 * entry of the group · `tools.schedule.time_zone` · the machine.
 */
export interface HeldZone {
  readonly timeZone: string;
  readonly source: 'set' | 'people' | 'platform' | 'chat' | 'config' | 'machine';
}

interface TimeZoneParts {
  readonly noted: readonly NotedZone[];
  readonly accountsOf: AccountsOf;
  /** The zone that the config has for a person with these accounts. */
  readonly ofPeople: (accounts: readonly string[]) => string | undefined;
  /** The zone that the config has for a group. */
  readonly ofChat: (conversation: Conversation) => string | undefined;
  /** The config's default. */
  readonly usual: () => string | undefined;
  /** The person who talks in a direct conversation, if it is known. */
  readonly personIn: (conversation: Conversation) => string | undefined;
}

export type TimeZones = ReturnType<typeof createTimeZones>;

/** Knows which time zone holds for whom. The config is read at each use; what people have set is in memory and stored. */
export function createTimeZones({ noted, accountsOf, ofPeople, ofChat, usual, personIn }: TimeZoneParts) {
  /** By account. */
  const set = new Map<string, string>();
  const told = new Map<string, string>();
  // An older database of time zones may lack one.
  for (const { principal, source, timeZone } of noted.filter((one) => isTimeZone(one.timeZone)))
    (source === 'set' ? set : told).set(principal, timeZone);
  // The first lookup takes some ms.
  let machine: string | undefined;

  function ofPerson(principal: string): HeldZone | undefined {
    const accounts = [principal, ...accountsOf(principal)];
    const find = (zones: ReadonlyMap<string, string>) => accounts.map((account) => zones.get(account)).find(Boolean);
    const own = find(set);
    if (own !== undefined) return { timeZone: own, source: 'set' };
    const inConfig = ofPeople(accounts);
    if (inConfig !== undefined) return { timeZone: inConfig, source: 'people' };
    const platform = find(told);
    return platform === undefined ? undefined : { timeZone: platform, source: 'platform' };
  }

  function ofPlace(conversation: Conversation): HeldZone {
    const chat = conversation.kind === 'group' ? ofChat(conversation) : undefined;
    if (chat !== undefined) return { timeZone: chat, source: 'chat' };
    const inConfig = usual();
    if (inConfig !== undefined) return { timeZone: inConfig, source: 'config' };
    machine ??= machineTimeZone();
    return { timeZone: machine, source: 'machine' };
  }

  function heldIn(conversation: Conversation): HeldZone {
    const person = conversation.kind === 'direct' ? personIn(conversation) : undefined;
    return (person === undefined ? undefined : ofPerson(person)) ?? ofPlace(conversation);
  }

  return {
    /** For the answer to somebody: their zone, or that of the group that reads along. */
    forAnswer({ principal, conversation }: { readonly principal: string; readonly conversation: Conversation }) {
      const person = conversation.kind === 'direct' ? ofPerson(principal) : undefined;
      return forReaders(person ?? ofPlace(conversation), conversation);
    },

    /** For a text in a conversation. */
    forPlace: (conversation: Conversation): ReadersZone => forReaders(heldIn(conversation), conversation),

    /** The zone for a person in a place. */
    of: (principal: string, conversation: Conversation): HeldZone => ofPerson(principal) ?? ofPlace(conversation),

    /** The zone for those who read along: the person of a direct chat, or the group. */
    readersOf: (conversation: Conversation): string => heldIn(conversation).timeZone,

    /** The platform tells where somebody is. */
    learn(principal: string, timeZone: string | undefined): void {
      if (timeZone !== undefined) told.set(principal, timeZone);
    },

    /** What a person has set is stored now; undefined: it is forgotten, for all their accounts. */
    set(principal: string, timeZone: string | undefined): void {
      for (const account of accountsOf(principal)) set.delete(account);
      if (timeZone !== undefined) set.set(principal, timeZone);
    },
  };
}

/**
 * Where a zone is named beside a time: in a group for which nobody has said one, since its members may be anywhere; and
 * where only a machine's is known that is UTC, as of a server, and not of a person.
 */
function forReaders({ timeZone, source }: HeldZone, { kind }: Conversation): ReadersZone {
  const isUnsaid = source === 'machine' || source === 'config';
  const isOfServer = source === 'machine' && /^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu)$/.test(timeZone);
  return { timeZone, isNamed: isOfServer || (isUnsaid && kind === 'group') };
}
