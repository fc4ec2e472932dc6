import { type Conversation, type InboundEvent, partsOf, principalOf, type Sender } from '../../contract.ts';
import type { Command } from '../../engine/message.ts';
import type { Access } from '../../engine/receive.ts';
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

interface AccessParts {
  readonly rules: () => ReadonlyMap<string, AccessRules>;
  readonly owners: Pick<Owners, 'isOwner'>;
  readonly paired: ReadonlySet<string>;
  readonly accountsOf: AccountsOf;
  /** The ids that a chat had before it was given this one. */
  readonly formerChats: (conversation: Conversation) => readonly string[];
}

export type ConfiguredAccess = ReturnType<typeof createAccess>;

/**
 * Who may talk where, and who may command there: from the config, from the owners, and from whom they have let in. People are
 * told apart by their accounts, `telegram:123456`; nobody's name matters.
 */
export function createAccess({ rules, owners, paired, accountsOf, formerChats }: AccessParts) {
  const isOwner = (principal: string): boolean => owners.isOwner(principal);
  const allowed = (principal: string): readonly string[] => rules().get(partsOf(principal).channel)?.allowFrom ?? [];
  /** Whether the config lists this very id among those who may talk on its whole channel. */
  const isListed = (principal: string): boolean => allowed(principal).includes(partsOf(principal).senderId);
  const isPairedOrListed = (principal: string): boolean => paired.has(principal) || isListed(principal);
  const othersOf = (principal: string): readonly string[] =>
    accountsOf(principal).filter((account) => account !== principal);

  /**
   * The rules that hold in a place. A group that was given another id is found under those that it had before; they are
   * asked for only then.
   */
  function rulesAt(conversation: Conversation): PlaceRules {
    const { allowFrom, groups } = rules().get(conversation.channel) ?? { allowFrom: [], groups: {} };
    if (conversation.kind === 'direct') return { allowFrom };
    const isNamed = (name: string): boolean => Object.hasOwn(groups, name);
    const named = groupNames(conversation).find(isNamed) ?? formerChats(conversation).find(isNamed);
    return { allowFrom, group: named === undefined ? undefined : groups[named] };
  }

  /** Decides about an event before anything is stored. Owners may talk wherever Keyturn is. */
  function accessOf(event: InboundEvent): Access {
    const { sender, conversation } = event;
    // Nobody's id is a star: as one, it would stand on the lists that are open to everyone.
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
    // A program is let in by its own id and by nothing else.
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
   * Who has another account that is let in may talk directly. In a group they may if that one may there: what people were
   * let into on one platform says nothing about the groups of another.
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

  /** Whether they may talk directly without having been let in with a code. */
  const isNamed = (principal: string): boolean =>
    isOwner(principal) || isListed(principal) || allowed(principal).includes('*');

  /** Whether this very account was let in: as an owner, by its id in the config, or with a code. */
  const isLetIn = (principal: string): boolean => isOwner(principal) || isPairedOrListed(principal);

  /** Whether they were let in with another account of theirs. */
  const isLinkedIn = (principal: string): boolean => othersOf(principal).some(isLetIn);

  return {
    accessOf,
    isOwner,
    isNamed,
    isLetIn,
    isLinkedIn,

    /** Whether somebody may talk with us directly, for whatever reason. */
    mayTalk: (principal: string): boolean => isNamed(principal) || isLetIn(principal) || isLinkedIn(principal),

    isWelcome(sender: Sender, conversation: Conversation): boolean {
      const call = { type: 'message', key: '', conversation, sender, text: '', addressed: true, sentAt: 0 } as const;
      return accessOf(call).type === 'welcome';
    },

    followsThreads: (conversation: Conversation): boolean => rulesAt(conversation).group?.followThreads === true,

    /** Whether somebody who may talk in a place may also use this command there. Approvals have rules of their own. */
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

    /** The id by which the config names a group that has another id now; undefined where it knows that one, or neither. */
    outdatedId(from: Conversation, chatId: string): string | undefined {
      const groups = rules().get(from.channel)?.groups ?? {};
      if (Object.hasOwn(groups, chatId)) return undefined;
      return [from.chatId, ...formerChats(from)].find((id) => Object.hasOwn(groups, id));
    },
  };
}

interface PlaceRules {
  readonly allowFrom: readonly string[];
  /** Undefined in a group that the config does not name, and where nobody else is. */
  readonly group?: GroupRules | undefined;
}

/** These change nothing, and the last two are for the approvers alone. */
const forEverybody: readonly string[] = ['help', 'start', 'status', 'approve', 'deny'];

/**
 * The names by which the config may speak of a group, the most exact one first: with its tenant, without, and the tenant
 * alone for all of its groups that are not named.
 */
export function groupNames({ tenant, chatId }: Conversation): readonly [string, ...string[]] {
  return tenant === undefined ? [chatId] : [`${tenant}/${chatId}`, chatId, tenant];
}
