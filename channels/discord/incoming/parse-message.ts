import { MessageType } from 'discord-api-types/v10';
import type { Conversation, InboundEdit, InboundMessage } from '../../../src/contract.ts';
import { instantOf } from '../web-api/snowflake.ts';
import { inWords, shownByProgram } from './in-words.ts';
import { attachmentsOf } from './inbound-files.ts';
import { type Names, readAddressing } from './inbound-text.ts';
import type { DiscordContent, DiscordMessage } from './payload.ts';
import type { Places } from './places.ts';
import { quoteOf, repliesToUs } from './quote.ts';
import type { Roles } from './roles.ts';
import { type DiscordSelf, nameOf, senderOf } from './sender.ts';

/** What is known beside the message. */
export interface Surroundings {
  readonly self: DiscordSelf;
  readonly places: Pick<Places, 'nameOf'>;
  readonly roles: Pick<Roles, 'nameOf' | 'isOf'>;
}

/** What people say, and what they say in answer to something. All else the platform itself says. */
const spoken: readonly number[] = [MessageType.Default, MessageType.Reply];

/** Whether somebody has said this, and not the platform. */
export function isSpoken({ type }: Pick<DiscordMessage, 'type'>): boolean {
  return spoken.includes(type);
}

/** The message as the core takes it. Undefined if nothing is said with it. */
export function messageEvent(
  message: DiscordMessage,
  conversation: Conversation,
  surroundings: Surroundings,
): InboundMessage | undefined {
  const { id, channel_id: channelId } = message;
  const { self } = surroundings;
  const sender = senderOf(message, conversation.tenant !== undefined);
  const { calls, text } = textOf(message, conversation, surroundings);
  const forwarded = message.message_snapshots.map(({ message: content }) => content);
  const attachments = attachmentsOf([message, ...forwarded], { channelId, messageId: id });
  const quote = quoteOf(message, self, (content) => namesIn(content, conversation, surroundings));
  if (text.trim() === '' && attachments.length === 0 && forwarded.length === 0) return undefined;
  return {
    type: 'message',
    key: id,
    conversation,
    sender,
    text: text.trim() === '' && attachments.length === 0 ? '[forwarded message]' : text,
    addressed: conversation.kind === 'direct' || calls || repliesToUs(message, self),
    ...(conversation.threadId !== undefined && { isThreadReply: true }),
    sentAt: instantOf(id),
    messageId: id,
    ...(attachments.length > 0 && { attachments }),
    ...(quote !== undefined && { quote }),
  };
}

/** A change of a message that was made at this instant, as Discord writes it. */
export function editEvent(
  message: DiscordMessage,
  { editedAt, conversation }: { readonly editedAt: string; readonly conversation: Conversation },
  surroundings: Surroundings,
): InboundEdit {
  return {
    type: 'edit',
    key: `${message.id}:e:${editedAt}`,
    messageKey: message.id,
    conversation,
    sender: senderOf(message, conversation.tenant !== undefined),
    text: textOf(message, conversation, surroundings).text,
  };
}

/** What it says, and whether it mentions us. A program may say all that it has to say in boxes of its own. */
function textOf(message: DiscordMessage, conversation: Conversation, surroundings: Surroundings) {
  const { self, roles } = surroundings;
  const { tenant } = conversation;
  const isOurs = (roleId: string): boolean => tenant !== undefined && roles.isOf(self.userId, tenant, roleId);
  const { calls, text } = readAddressing(
    message.content ?? '',
    (kind, id) => (kind === '@' ? id === self.userId : isOurs(id)),
    namesIn(message, conversation, surroundings),
  );
  const isPerson = senderOf(message, false).isPerson;
  const words = [text, ...(isPerson ? [] : shownByProgram(message)), ...inWords(message)];
  return {
    calls: calls || message.mentions.some(({ id }) => id === self.userId),
    text: words.filter((part) => part.trim() !== '').join('\n'),
  };
}

function namesIn({ mentions }: DiscordContent, { tenant }: Conversation, { places, roles }: Surroundings): Names {
  return {
    user: (id) => {
      const user = mentions.find((mentioned) => mentioned.id === id);
      return user && nameOf(user, user.member);
    },
    role: (id) => (tenant === undefined ? undefined : roles.nameOf(tenant, id)),
    channel: (id) => places.nameOf(id),
  };
}
