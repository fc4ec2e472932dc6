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

/** Knows which time zone holds for whom. The config is read at each use; what people have set is in memory and stored. */
export interface TimeZones {
  /** For the answer to somebody: their zone, or that of the group that reads along. */
  forAnswer(origin: { readonly principal: string; readonly conversation: Conversation }): ReadersZone;
  /** For a text in a conversation. */
  forConversation(conversation: Conversation): ReadersZone;
  /** The zone for a person in a conversation. */
  of(principal: string, conversation: Conversation): HeldZone;
  /** The zone for those who read along: the person of a direct chat, or the group. */
  readersOf(conversation: Conversation): string;
  /** The platform tells where somebody is. */
  learn(principal: string, timeZone: string | undefined): void;
  /** What a person has set is stored now; undefined: it is forgotten, for all their accounts. */
  set(principal: string, timeZone: string | undefined): void;
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

interface ZoneContext extends TimeZoneParts {
  /** By account. */
  readonly set: Map<string, string>;
  readonly told: Map<string, string>;
  readonly machine: MachineZone;
}

/** The first lookup takes some ms. */
class MachineZone {
  #found: string | undefined;

  get(): string {
    this.#found ??= machineTimeZone();
    return this.#found;
  }
}

export function createTimeZones(parts: TimeZoneParts): TimeZones {
  const set = new Map<string, string>();
  const told = new Map<string, string>();
  // An older database of time zones may lack one.
  for (const { principal, source, timeZone } of parts.noted.filter((one) => isTimeZone(one.timeZone)))
    (source === 'set' ? set : told).set(principal, timeZone);
  const context: ZoneContext = { ...parts, set, told, machine: new MachineZone() };
  return {
    forAnswer({ principal, conversation }) {
      const person = conversation.kind === 'direct' ? zoneOfPerson(principal, context) : undefined;
      return forReaders(person ?? zoneOfChat(conversation, context), conversation);
    },
    forConversation: (conversation) => forReaders(zoneIn(conversation, context), conversation),
    of: (principal, conversation) => zoneOfPerson(principal, context) ?? zoneOfChat(conversation, context),
    readersOf: (conversation) => zoneIn(conversation, context).timeZone,
    learn(principal, timeZone) {
      if (timeZone !== undefined) told.set(principal, timeZone);
    },
    set(principal, timeZone) {
      for (const account of parts.accountsOf(principal)) set.delete(account);
      if (timeZone !== undefined) set.set(principal, timeZone);
    },
  };
}

function zoneOfPerson(principal: string, { set, told, accountsOf, ofPeople }: ZoneContext): HeldZone | undefined {
  const accounts = [principal, ...accountsOf(principal)];
  const find = (zones: ReadonlyMap<string, string>) => accounts.map((account) => zones.get(account)).find(Boolean);
  const own = find(set);
  if (own !== undefined) return { timeZone: own, source: 'set' };
  const inConfig = ofPeople(accounts);
  if (inConfig !== undefined) return { timeZone: inConfig, source: 'people' };
  const platform = find(told);
  return platform === undefined ? undefined : { timeZone: platform, source: 'platform' };
}

function zoneOfChat(conversation: Conversation, { ofChat, usual, machine }: ZoneContext): HeldZone {
  const chat = conversation.kind === 'group' ? ofChat(conversation) : undefined;
  if (chat !== undefined) return { timeZone: chat, source: 'chat' };
  const inConfig = usual();
  return inConfig === undefined
    ? { timeZone: machine.get(), source: 'machine' }
    : { timeZone: inConfig, source: 'config' };
}

function zoneIn(conversation: Conversation, context: ZoneContext): HeldZone {
  const person = conversation.kind === 'direct' ? context.personIn(conversation) : undefined;
  return (person === undefined ? undefined : zoneOfPerson(person, context)) ?? zoneOfChat(conversation, context);
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
