import { type Conversation, type InboundEvent, partsOf, principalOf, type Sender } from '../../contract.ts';
import type { Command } from '../../engine/message.ts';
import type { Access, AccessPolicy } from '../../engine/receive.ts';
import type { AccountsOf, Owners } from './people.ts';

/** Who may talk, on one channel. */
export interface AccessRules {
  /** Ids of people or of their roles on the channel, or `*` for everyone. */
  readonly allowFrom: readonly string[];
  /** The groups that Keyturn takes part in, by one of their names: see `groupNames`. */
  readonly groups: Readonly<Record<string, GroupRules>>;
}

export interface GroupRules {
  readonly requireMention: boolean;
  /** Whether no mention is needed in a thread of it that Keyturn has taken part in. */
  readonly followThreads: boolean;
  /** Who may talk in it besides those who may on the whole channel: ids, or `*` for everyone in it. */
  readonly allowFrom: readonly string[];
  /** Who of them may use commands besides the owners: ids, or `*` for all. */
  readonly commandsFrom: readonly string[];
}

/** Who is known without being named in the rules of a place. All as principals: `telegram:123456`. */
interface KnownPeople {
  isOwner(principal: string): boolean;
  isPaired(principal: string): boolean;
  /** Whether the config lists this very id among those who may talk on its whole channel. */
  isListed(principal: string): boolean;
  /** The accounts of the person, this one included. */
  accountsOf(principal: string): readonly string[];
}

interface ConfiguredAccessDependencies {
  /** What the config says, by channel. */
  readonly rules: () => ReadonlyMap<string, AccessRules>;
  readonly owners: Pick<Owners, 'isOwner'>;
  /** The people whom owners have let in with a code. */
  readonly paired: ReadonlySet<string>;
  readonly accountsOf: AccountsOf;
  /** The ids that a chat had before it was given this one. */
  readonly formerChats: (conversation: Conversation) => readonly string[];
}

/** Who may talk where, and who may command there: from the config, from the owners, and from whom they have let in. */
export class ConfiguredAccess implements AccessPolicy {
  readonly #dependencies: ConfiguredAccessDependencies;
  readonly #known: KnownPeople;

  constructor(dependencies: ConfiguredAccessDependencies) {
    this.#dependencies = dependencies;
    const { owners, paired, accountsOf } = dependencies;
    this.#known = {
      isOwner: (principal) => owners.isOwner(principal),
      isPaired: (principal) => paired.has(principal),
      isListed: (principal) => this.#allowed(principal).includes(partsOf(principal).senderId),
      accountsOf,
    };
  }

  accessOf(event: InboundEvent): Access {
    return accessOf(event, this.#rulesAt(event.conversation), this.#known);
  }

  /** Whether somebody who calls us there would be heard. */
  isWelcome(sender: Sender, conversation: Conversation): boolean {
    const call: InboundEvent = { type: 'message', key: '', conversation, sender, text: '', addressed: true, sentAt: 0 };
    return this.accessOf(call).type === 'welcome';
  }

  /** Whether no mention is needed in a thread of that group which we have taken part in. */
  followsThreads(conversation: Conversation): boolean {
    return this.#rulesAt(conversation).group?.followThreads === true;
  }

  mayCommand(command: Command, event: InboundEvent): boolean {
    return mayCommand(command, event, this.#rulesAt(event.conversation), this.#known);
  }

  isOwner(principal: string): boolean {
    return this.#dependencies.owners.isOwner(principal);
  }

  /** Whether somebody may talk with us directly without having been let in with a code. */
  isNamed(principal: string): boolean {
    return this.isOwner(principal) || this.#known.isListed(principal) || this.#allowed(principal).includes('*');
  }

  /** Whether this very account was let in: as an owner, by its id in the config, or with a code. */
  isLetIn(principal: string): boolean {
    const { isOwner, isListed, isPaired } = this.#known;
    return [isOwner, isListed, isPaired].some((may) => may(principal));
  }

  /** Whether they were let in with another account of theirs. */
  isLinkedIn(principal: string): boolean {
    const others = this.#known.accountsOf(principal).filter((account) => account !== principal);
    return others.some((account) => this.isLetIn(account));
  }

  /** Whether somebody may talk with us directly, for whatever reason. */
  mayTalk(principal: string): boolean {
    return this.isNamed(principal) || this.isLetIn(principal) || this.isLinkedIn(principal);
  }

  /** The id by which the config names a group that has another id now; undefined where it knows that one, or neither. */
  outdatedId(from: Conversation, chatId: string): string | undefined {
    const groups = this.#dependencies.rules().get(from.channel)?.groups ?? {};
    if (Object.hasOwn(groups, chatId)) return undefined;
    const ids = [from.chatId, ...this.#dependencies.formerChats(from)];
    return ids.find((id) => Object.hasOwn(groups, id));
  }

  #allowed(principal: string): readonly string[] {
    return this.#dependencies.rules().get(partsOf(principal).channel)?.allowFrom ?? [];
  }

  #rulesAt(conversation: Conversation): PlaceRules {
    const { rules, formerChats } = this.#dependencies;
    const ofChannel = rules().get(conversation.channel);
    if (ofChannel === undefined) return { allowFrom: [] };
    return placeRules(ofChannel, conversation, () => formerChats(conversation));
  }
}

/** What access is decided by in one place. */
interface PlaceRules {
  readonly allowFrom: readonly string[];
  /** Undefined in a group that the config does not name, and where nobody else is. */
  readonly group?: GroupRules;
}

/**
 * The rules that hold in a place. A group that was given another id is found under those that it had before; they are
 * asked for only then.
 */
export function placeRules(
  { allowFrom, groups }: AccessRules,
  conversation: Conversation,
  formerChats: () => readonly string[],
): PlaceRules {
  if (conversation.kind === 'direct') return { allowFrom };
  const isNamed = (name: string): boolean => Object.hasOwn(groups, name);
  const named = groupNames(conversation).find(isNamed) ?? formerChats().find(isNamed);
  const group = named === undefined ? undefined : groups[named];
  return group === undefined ? { allowFrom } : { allowFrom, group };
}

/**
 * The names by which the config may speak of a group, the most exact one first: with its tenant, without, and the tenant
 * alone for all of its groups that are not named.
 */
export function groupNames({ tenant, chatId }: Conversation): readonly [string, ...string[]] {
  return tenant === undefined ? [chatId] : [`${tenant}/${chatId}`, chatId, tenant];
}

/** Decides about an event before anything is stored. Owners may talk wherever Keyturn is; nobody's name matters. */
export function accessOf(event: InboundEvent, rules: PlaceRules, people: KnownPeople): Access {
  const { sender, conversation } = event;
  // Nobody's id is a star: as one, it would stand on the lists that are open to everyone.
  if (sender.id === '' || sender.id === '*') return { type: 'ignore', reason: 'nobody' };
  const known = isKnown(sender, conversation, rules, people);
  if (!sender.isPerson && !known) return { type: 'ignore', reason: 'not a person' };
  if (conversation.kind === 'direct') return known ? { type: 'welcome' } : { type: 'refuse' };

  const isCalled = event.type === 'message' && event.addressed;
  if (rules.group === undefined) {
    return isCalled && sender.isPerson && people.isOwner(principalOf(conversation.channel, sender.id))
      ? { type: 'unknown-group' }
      : { type: 'ignore', reason: 'this group is not in the config' };
  }
  if (!known) return isCalled ? { type: 'turn-away' } : { type: 'ignore', reason: 'a stranger in a group' };
  if (event.type === 'message' && !isCalled && rules.group.requireMention)
    return { type: 'ignore', reason: 'not addressed' };
  return { type: 'welcome' };
}

/** Whether somebody who may talk in a place may also use this command there. Approvals have rules of their own. */
export function mayCommand(
  command: Command,
  { sender, conversation }: InboundEvent,
  rules: PlaceRules,
  people: KnownPeople,
): boolean {
  if (!sender.isPerson) return false;
  if (rules.group === undefined || forEverybody.includes(command.name)) return true;
  const { commandsFrom } = rules.group;
  const ids = idsHere(principalOf(conversation.channel, sender.id), conversation, people);
  if (['*', ...ids, ...(sender.roles ?? [])].some((name) => commandsFrom.includes(name))) return true;
  return people.isOwner(principalOf(conversation.channel, sender.id));
}

/** The first change nothing, and the last two are for the approvers alone. */
const forEverybody: readonly string[] = ['help', 'start', 'status', 'approve', 'deny'];

function isKnown(
  { id, isPerson, roles = [] }: Sender,
  conversation: Conversation,
  rules: PlaceRules,
  people: KnownPeople,
): boolean {
  const lists = [rules.allowFrom, rules.group?.allowFrom ?? []];
  if (lists.some((list) => list.includes(id))) return true;
  // A program is let in by its own id and by nothing else.
  if (!isPerson) return false;
  const principal = principalOf(conversation.channel, id);
  return (
    lists.some((list) => ['*', ...roles].some((name) => list.includes(name))) ||
    people.isOwner(principal) ||
    people.isPaired(principal) ||
    isKnownByAnother(principal, conversation, lists, people)
  );
}

/**
 * Who has another account that is let in may talk directly. In a group they may if that one may there: what people were
 * let into on one platform says nothing about the groups of another.
 */
function isKnownByAnother(
  principal: string,
  conversation: Conversation,
  lists: readonly (readonly string[])[],
  people: KnownPeople,
): boolean {
  const others = people.accountsOf(principal).filter((account) => account !== principal);
  if (conversation.kind === 'direct') return others.some((other) => people.isPaired(other) || people.isListed(other));
  return others
    .filter((other) => other.startsWith(`${conversation.channel}:`))
    .some((other) => people.isPaired(other) || lists.some((list) => list.includes(partsOf(other).senderId)));
}

/** The ids that the person has on the channel. */
function idsHere(principal: string, { channel }: Conversation, people: KnownPeople): readonly string[] {
  return people
    .accountsOf(principal)
    .filter((account) => account.startsWith(`${channel}:`))
    .map((account) => partsOf(account).senderId);
}
