import { z } from 'zod';
import type { InboundMembership } from '../../src/contract.ts';
import { chat, conversationOf, personOf, user } from './parties.ts';

/** `is_member`: of somebody restricted, who may be outside. */
const memberShape = z.object({ status: z.string(), is_member: z.boolean().default(true).catch(true) });

/** An update `my_chat_member`: the bot is in the chat, or is not, from now on. */
export const membershipShape = z.object({
  chat,
  from: user,
  old_chat_member: memberShape,
  new_chat_member: memberShape,
});

/**
 * The bot was added to a group or taken out of it; or a person has blocked it or not any more, or has begun to talk to it.
 * Undefined for changes of rights, and in channels.
 */
export function parseMembership(
  { chat: where, from, old_chat_member, new_chat_member }: z.output<typeof membershipShape>,
  key: string,
): InboundMembership | undefined {
  const conversation = conversationOf({ message_id: 0, chat: where, is_topic_message: false });
  const [was, is] = [isInside(old_chat_member), isInside(new_chat_member)];
  if (conversation === undefined || was === is) return undefined;
  return { type: 'membership', key, conversation, sender: personOf(from), change: is ? 'added' : 'removed' };
}

function isInside({ status, is_member: isMember }: z.output<typeof memberShape>): boolean {
  return status !== 'left' && status !== 'kicked' && isMember;
}
