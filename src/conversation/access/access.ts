import { type Conversation, type InboundEvent, partsOf, principalOf, type Sender } from '../../contract.ts';
import type { Command } from '../../engine/message.ts';
import type { Access } from '../../engine/receive.ts';
import type { AccountsOf, Owners } from './people.ts';

/** Who may talk on one channel. */
export interface AccessRules {
  /** Ids of people or of their roles on the channel, or `*` for everyone. */
  readonly allowFrom: readonly string[];
  /** The groups that Keyturn takes part in, by name: see `groupNames`. */
  readonly groups: Readonly<Record<string, GroupRules>>;
}

export interface GroupRules {
  readonly requireMention: boolean;
  /** Whether its threads that Keyturn has taken part in need no mention. */
  readonly followThreads: boolean;
  /** Who may talk in it, besides `allowFrom` of the channel: ids, or `*` for everyone in it. */
  readonly allowFrom: readonly string[];
  /** Which of them may use commands, besides the owners: ids, or `*` for all. */
  readonly commandsFrom: readonly string[];
}

interface AccessParts {
  readonly rules: () => ReadonlyMap<string, AccessRules>;
  readonly owners: Pick<Owners, 'isOwner'>;
  readonly paired: ReadonlySet<string>;
  readonly accountsOf: AccountsOf;
  /** The former ids of a chat. */
  readonly formerChats: (conversation: Conversation) => readonly string[];
}

export type ConfiguredAccess = ReturnType<typeof createAccess>;

/**
 * Decides who may talk and use commands where: from the config, the owners, and the people whom they let in. People are
 * identified by account (`telegram:123456`), never by name.
 */
export function createAccess({ rules, owners, paired, accountsOf, formerChats }: AccessParts) {
  const isOwner = (principal: string): boolean => owners.isOwner(principal);
  const allowed = (principal: string): readonly string[] => rules().get(partsOf(principal).channel)?.allowFrom ?? [];
  /** Whether the config lists this very id for the whole channel. */
  const isListed = (principal: string): boolean => allowed(principal).includes(partsOf(principal).senderId);
  const isPairedOrListed = (principal: string): boolean => paired.has(principal) || isListed(principal);
  const othersOf = (principal: string): readonly string[] =>
    accountsOf(principal).filter((account) => account !== principal);

  /** The rules of a place. A group that the config does not name is looked up by its former ids too. */
  function rulesAt(conversation: Conversation): PlaceRules {
    const { allowFrom, groups } = rules().get(conversation.channel) ?? { allowFrom: [], groups: {} };
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
    const known = isKnown(sender, conversation, [allowFrom, group?.allowFrom ?? []]);
    if (!sender.isPerson && !known) return { type: 'ignore', reason: 'not a person' };
    if (conversation.kind === 'direct') return known ? { type: 'welcome' } : { type: 'refuse' };

    const isCalled = event.type === 'message' && event.addressed;
    if (group === undefined) {
      return isCalled && sender.isPerson && isOwner(principalOf(conversation.channel, sender.id))
        ? { type: 'unknown-group' }
        : { type: 'ignore', reason: 'this group is not in the config' };
    }
    if (!known) return isCalled ? { type: 'turn-away' } : { type: 'ignore', reason: 'a stranger in a group' };
    if (event.type === 'message' && !isCalled && group.requireMention)
      return { type: 'ignore', reason: 'not addressed' };
    return { type: 'welcome' };
  }

  function isKnown(
    { id, isPerson, roles = [] }: Sender,
    conversation: Conversation,
    lists: readonly (readonly string[])[],
  ): boolean {
    if (lists.some((list) => list.includes(id))) return true;
    // A program is let in only by its own id.
    if (!isPerson) return false;
    const principal = principalOf(conversation.channel, id);
    return (
      lists.some((list) => ['*', ...roles].some((name) => list.includes(name))) ||
      isOwner(principal) ||
      paired.has(principal) ||
      isKnownByAnother(principal, conversation, lists)
    );
  }

  /**
   * A person with another account that is let in may talk directly. In a group, only if that account is on the same
   * channel and may talk there: being let in on one platform grants nothing in groups of another.
   */
  function isKnownByAnother(
    principal: string,
    { kind, channel }: Conversation,
    lists: readonly (readonly string[])[],
  ): boolean {
    if (kind === 'direct') return othersOf(principal).some(isPairedOrListed);
    return othersOf(principal)
      .filter((other) => partsOf(other).channel === channel)
      .some((other) => paired.has(other) || lists.some((list) => list.includes(partsOf(other).senderId)));
  }

  /** Whether they may talk directly without having used a code. */
  const isNamed = (principal: string): boolean =>
    isOwner(principal) || isListed(principal) || allowed(principal).includes('*');

  /** Whether this very account was let in: as an owner, by its id in the config, or with a code. */
  const isLetIn = (principal: string): boolean => isOwner(principal) || isPairedOrListed(principal);

  /** Whether another account of theirs was let in. */
  const isLinkedIn = (principal: string): boolean => othersOf(principal).some(isLetIn);

  return {
    accessOf,
    isOwner,
    isNamed,
    isLetIn,
    isLinkedIn,

    /** Whether they may talk directly, for any reason. */
    mayTalk: (principal: string): boolean => isNamed(principal) || isLetIn(principal) || isLinkedIn(principal),

    isWelcome(sender: Sender, conversation: Conversation): boolean {
      const call = { type: 'message', key: '', conversation, sender, text: '', addressed: true, sentAt: 0 } as const;
      return accessOf(call).type === 'welcome';
    },

    followsThreads: (conversation: Conversation): boolean => rulesAt(conversation).group?.followThreads === true,

    /** Whether a person who may talk here may also use this command here. Approvals have their own rules. */
    mayCommand(command: Command, { sender, conversation }: InboundEvent): boolean {
      if (!sender.isPerson) return false;
      const { group } = rulesAt(conversation);
      if (group === undefined || forEverybody.includes(command.name)) return true;
      const principal = principalOf(conversation.channel, sender.id);
      const accounts = accountsOf(principal).map(partsOf);
      const ids = accounts.flatMap(({ channel, senderId }) => (channel === conversation.channel ? senderId : []));
      if (['*', ...ids, ...(sender.roles ?? [])].some((name) => group.commandsFrom.includes(name))) return true;
      return isOwner(principal);
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
  readonly group?: GroupRules | undefined;
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
