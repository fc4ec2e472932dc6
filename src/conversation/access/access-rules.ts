/** Who may talk and command where. */
import type { ChannelBlock } from '../../config/extension-settings.ts';
import { type Conversation, type InboundEvent, partsOf, principalOf, type Sender } from '../../contract.ts';
import type { Access, Command } from '../../engine/message.ts';
import type { AccountsOf, Owners } from './access.ts';
import type { AskedGroup, GroupChoices } from './group-choices.ts';
import type { MovedChats } from './moved-chats.ts';

/**
 * Decides who may talk and use commands where: from the config, the owners, and the people whom they let in. People are
 * identified by account (`telegram:123456`), never by name.
 */
export interface ConfiguredAccess {
  /** Decides about an event before anything is stored. Owners may talk in all direct chats and configured groups. */
  accessOf(event: InboundEvent): Access;
  isOwner(principal: string): boolean;
  /** Whether they may talk directly without having used a code. */
  isNamed(principal: string): boolean;
  /** Whether any account of theirs was let in. */
  isLetIn(principal: string): boolean;
  /** Whether they may talk directly, for any reason but their roles. */
  mayTalk(principal: string): boolean;
  /** Whether another account of theirs was let in. */
  isLinkedIn(principal: string): boolean;
  isWelcome(sender: Sender, conversation: Conversation): boolean;
  /** The time zone that the config has for a group. */
  timeZoneIn(conversation: Conversation): string | undefined;
  followsThreads(conversation: Conversation): boolean;
  /** Whether a person who may talk here may also use this command here. Approvals have their own rules. */
  mayCommand(command: Command, event: InboundEvent): boolean;
  /** Whether the config itself says what holds in this group. */
  isInConfig(conversation: Conversation): boolean;
  /** The former id that the config still uses for a moved group; undefined if it has the new id, or neither. */
  outdatedId(from: Conversation, chatId: string): string | undefined;
}

interface AccessParts {
  /** The enabled channels, with who may talk there; their groups are by name: see `groupNames`. */
  readonly rules: () => ReadonlyMap<string, ChannelBlock>;
  readonly owners: Pick<Owners, 'isOwner'>;
  readonly paired: ReadonlySet<string>;
  readonly accountsOf: AccountsOf;
  readonly formerChats: MovedChats['formerChats'];
  /** What an owner has chosen for a group. What the config says of it comes first. */
  readonly groupChoice: GroupChoices['of'];
}

export function createAccess(parts: AccessParts): ConfiguredAccess {
  return {
    accessOf: (event) => accessOf(event, parts),
    isOwner: (principal) => parts.owners.isOwner(principal),
    isNamed: (principal) => isNamed(principal, parts),
    isLetIn: (principal) => isLetIn(principal, parts),
    mayTalk: (principal) => mayTalk(principal, parts),
    isLinkedIn: (principal) =>
      parts.accountsOf(principal).some((account) => account !== principal && isItselfLetIn(account, parts)),
    isWelcome: (sender, conversation) => isWelcome(sender, conversation, parts),
    timeZoneIn: (conversation) => rulesAt(conversation, parts).group?.time_zone,
    followsThreads: (conversation) => rulesAt(conversation, parts).group?.follow_threads === true,
    mayCommand: (command, event) => mayCommand(command, event, parts),
    isInConfig: (conversation) => nameInConfig(conversation, parts) !== undefined,
    outdatedId: (from, chatId) => outdatedId(from, chatId, parts),
  };
}

function accessOf(event: InboundEvent, parts: AccessParts): Access {
  const { sender, conversation } = event;
  // As an id, `*` would match the lists that are open to everyone.
  if (sender.id === '' || sender.id === '*') return { type: 'ignore', reason: 'nobody' };
  const { allowFrom, group } = rulesAt(conversation, parts);
  const known = isKnown(sender, conversation, [...allowFrom, ...(group?.allow_from ?? [])], parts);
  if (!sender.isPerson && !known) return { type: 'ignore', reason: 'not a person' };
  if (conversation.kind === 'direct') return known ? { type: 'welcome' } : { type: 'refuse' };

  const isCalled = event.type === 'message' && event.addressed;
  if (group === undefined) {
    return isCalled && sender.isPerson && parts.owners.isOwner(principalOf(conversation.channel, sender.id))
      ? { type: 'unknown-group' }
      : { type: 'ignore', reason: 'this group is not in the config' };
  }
  if (!known) return isCalled ? { type: 'turn-away' } : { type: 'ignore', reason: 'a stranger in a group' };
  if (event.type === 'message' && !isCalled && group.require_mention)
    return { type: 'ignore', reason: 'not addressed' };
  return { type: 'welcome' };
}

interface ConversationRules {
  readonly allowFrom: readonly string[];
  /** Undefined in direct chats, and in groups that neither the config names nor an owner has chosen. */
  readonly group?: ChannelBlock['groups'][string] | undefined;
}

/** The rules of a conversation. A group that the config does not name is looked up by its former ids too. */
function rulesAt(conversation: Conversation, { rules, formerChats, groupChoice }: AccessParts): ConversationRules {
  const { allow_from: allowFrom = [], groups = {} } = rules().get(conversation.channel) ?? {};
  if (conversation.kind === 'direct') return { allowFrom };
  const named = nameInConfig(conversation, { rules, formerChats });
  if (named !== undefined) return { allowFrom, group: groups[named] };
  // Who talks directly need not be known: the card said that only those whom the owner knows are heard.
  return { allowFrom: allowFrom.filter((id) => id !== '*'), group: chosenGroup(groupChoice(conversation)) };
}

function nameInConfig(
  conversation: Conversation,
  { rules, formerChats }: Pick<AccessParts, 'rules' | 'formerChats'>,
): string | undefined {
  const groups = rules().get(conversation.channel)?.groups ?? {};
  const isInConfig = (name: string): boolean => Object.hasOwn(groups, name);
  return groupNames(conversation).find(isInConfig) ?? formerChats(conversation).find(isInConfig);
}

/** The rules by which an owner's choice holds. Where everybody is heard, only owners command. */
function chosenGroup(chosen: AskedGroup | undefined): ConversationRules['group'] {
  if (chosen?.choice !== 'mentioned' && chosen?.choice !== 'everything') return undefined;
  return {
    require_mention: chosen.choice === 'mentioned',
    follow_threads: true,
    allow_from: chosen.isOpen ? ['*'] : [],
    commands_from: chosen.isOpen ? ['owner'] : ['*'],
  };
}

/** `listed`: who the config lets talk there. */
function isKnown(
  { id, isPerson, roles = [] }: Sender,
  { channel, kind }: Conversation,
  listed: readonly string[],
  parts: AccessParts,
): boolean {
  // A program is let in only by its own id.
  if (!isPerson) return listed.includes(id);
  if (roles.some((role) => listed.includes(role))) return true;
  const principal = principalOf(channel, id);
  if (kind === 'direct') return mayTalk(principal, parts);
  // Being let in on one platform grants nothing in groups of another.
  const own = accountsOn(channel, principal, parts);
  const isLetInHere = own.some((account) => parts.paired.has(account) || listed.includes(partsOf(account).senderId));
  return parts.owners.isOwner(principal) || listed.includes('*') || isLetInHere;
}

function accountsOn(channel: string, principal: string, { accountsOf }: AccessParts): readonly string[] {
  return accountsOf(principal).filter((account) => partsOf(account).channel === channel);
}

function mayTalk(principal: string, parts: AccessParts): boolean {
  return isNamed(principal, parts) || isLetIn(principal, parts);
}

function isNamed(principal: string, parts: AccessParts): boolean {
  return parts.owners.isOwner(principal) || isListed(principal, parts) || allowedWith(principal, parts).includes('*');
}

function isLetIn(principal: string, parts: AccessParts): boolean {
  return parts.accountsOf(principal).some((account) => isItselfLetIn(account, parts));
}

/** Whether this very account was let in: as an owner, by its id in the config, or with a code. */
function isItselfLetIn(principal: string, parts: AccessParts): boolean {
  return parts.owners.isOwner(principal) || parts.paired.has(principal) || isListed(principal, parts);
}

/** Whether the config lists this very id for the whole channel. */
function isListed(principal: string, parts: AccessParts): boolean {
  return allowedWith(principal, parts).includes(partsOf(principal).senderId);
}

/** Who may talk on the channel of this account. */
function allowedWith(principal: string, { rules }: AccessParts): readonly string[] {
  return rules().get(partsOf(principal).channel)?.allow_from ?? [];
}

function isWelcome(sender: Sender, conversation: Conversation, parts: AccessParts): boolean {
  const call = { type: 'message', key: '', conversation, sender, text: '', addressed: true, sentAt: 0 } as const;
  return accessOf(call, parts).type === 'welcome';
}

function mayCommand(command: Command, { sender, conversation }: InboundEvent, parts: AccessParts): boolean {
  if (!sender.isPerson) return false;
  const { group } = rulesAt(conversation, parts);
  if (group === undefined || forEverybody.includes(command.name)) return true;
  const principal = principalOf(conversation.channel, sender.id);
  const ids = accountsOn(conversation.channel, principal, parts).map((account) => partsOf(account).senderId);
  const names = ['*', ...ids, ...(sender.roles ?? [])].filter((name) => name !== 'owner');
  // Owners may command everywhere: a list of "owner" alone means only they may.
  return names.some((name) => group.commands_from.includes(name)) || parts.owners.isOwner(principal);
}

/** These change nothing, except the last two, which check the approvers themselves. */
const forEverybody: readonly string[] = ['help', 'start', 'status', 'approve', 'deny'];

function outdatedId(from: Conversation, chatId: string, { rules, formerChats }: AccessParts): string | undefined {
  const groups = rules().get(from.channel)?.groups ?? {};
  if (Object.hasOwn(groups, chatId)) return undefined;
  return [from.chatId, ...formerChats(from)].find((id) => Object.hasOwn(groups, id));
}

/**
 * The names that the config may use for a group, most specific first: with its tenant, without, and the tenant alone,
 * for all its groups that are not named.
 */
export function groupNames({ tenant, chatId }: Conversation): readonly [string, ...string[]] {
  return tenant === undefined ? [chatId] : [`${tenant}/${chatId}`, chatId, tenant];
}
