import type { InboundEvent } from '../contract.ts';
import { principalOf } from '../contract.ts';

/** Who may talk, on one channel. */
export interface AccessRules {
  /** Ids of the channel, or `*` for everyone. */
  readonly allowFrom: readonly string[];
  /** The groups that Keyturn takes part in, by chat id. */
  readonly groups: Readonly<Record<string, { readonly requireMention: boolean }>>;
}

export type Access =
  | { readonly type: 'welcome' }
  /** Says nothing: it was not meant for us, or no person said it. */
  | { readonly type: 'ignore'; readonly reason: string }
  /** May not talk here, and is told so. */
  | { readonly type: 'refuse' };

/** Decides about an event before anything is stored. Owners may talk wherever Keyturn is; nobody's name matters. */
export function accessOf(event: InboundEvent, rules: AccessRules, isOwner: (principal: string) => boolean): Access {
  const { sender, conversation } = event;
  if (!sender.isPerson || sender.id === '') return { type: 'ignore', reason: 'not a person' };
  const known = isOwner(principalOf(conversation.channel, sender.id)) || mayTalk(sender.id, rules);
  if (conversation.kind === 'direct') return known ? { type: 'welcome' } : { type: 'refuse' };

  const group = Object.hasOwn(rules.groups, conversation.chatId) ? rules.groups[conversation.chatId] : undefined;
  if (group === undefined) return { type: 'ignore', reason: 'this group is not in the config' };
  if (!known) return { type: 'ignore', reason: 'a stranger in a group' };
  if (event.type === 'message' && !event.addressed && group.requireMention)
    return { type: 'ignore', reason: 'not addressed' };
  return { type: 'welcome' };
}

function mayTalk(senderId: string, rules: AccessRules): boolean {
  return rules.allowFrom.includes('*') || rules.allowFrom.includes(senderId);
}
