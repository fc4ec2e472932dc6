import type { APIMessage } from 'discord.js';
import { z } from 'zod';
import type { Attachments } from './attachments.ts';
import { applicationId, botId } from './bot-user.ts';
import type { Messages, StoredMessage } from './messages.ts';
import { wireMemberWithoutUser } from './place-wire.ts';
import type { Channel, Places } from './places.ts';

interface Dependencies {
  readonly messages: Messages;
  readonly places: Places;
  readonly attachments: Attachments;
}

/** The bot has sent these itself, or people cannot send them: they are what they were when they were checked. */
const sent = z.object({
  embeds: z.custom<APIMessage['embeds']>(),
  components: z.custom<APIMessage['components'] & {}>(),
});

/** What an event carries beside the message itself. */
export type MessageEvent = APIMessage & { readonly guild_id?: string };

/** Writes messages as answers and events carry them. */
export class MessageWire {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** As an answer carries it: without the guild and the member. */
  answer(message: StoredMessage): APIMessage {
    const replied = message.replyTo === undefined ? undefined : this.#replied(message);
    const plain = this.#plain(message);
    return replied === undefined ? plain : { ...plain, referenced_message: replied };
  }

  /** As an event carries it. */
  event(message: StoredMessage): MessageEvent {
    const { places } = this.#dependencies;
    const channel = places.get(message.channelId);
    const guild = places.guildOf(channel);
    const member = message.webhookId === undefined ? guild?.members.get(message.author.id) : undefined;
    const mentions = message.mentions.users.map((user) => {
      const mentioned = guild?.members.get(user.id);
      return mentioned === undefined || guild === undefined
        ? user
        : { ...user, member: wireMemberWithoutUser(mentioned, guild) };
    });
    return {
      ...this.answer(message),
      mentions,
      ...{ channel_type: channel.type },
      ...(channel.guildId !== undefined && { guild_id: channel.guildId }),
      ...(member !== undefined && guild !== undefined && { member: wireMemberWithoutUser(member, guild) }),
    };
  }

  /** Without what a bot is not told that may not read messages. */
  withoutContent<Message extends APIMessage>(message: Message): Message {
    const { author, mentions, channel_id: id } = message;
    const isDirect = this.#dependencies.places.get(id).guildId === undefined;
    if (isDirect || author.id === botId || mentions.some((user) => user.id === botId)) return message;
    const { referenced_message: replied } = message;
    return {
      ...message,
      content: '',
      embeds: [],
      attachments: [],
      components: [],
      ...(replied !== undefined && { referenced_message: replied && this.withoutContent(replied) }),
    };
  }

  /** Null if it is gone. */
  #replied(message: StoredMessage): APIMessage | null {
    const { messages } = this.#dependencies;
    const replied = messages.find(message.channelId, message.replyTo ?? '');
    return replied === undefined ? null : this.#plain(replied);
  }

  #plain(message: StoredMessage): APIMessage {
    const { id, channelId, author, content, mentions, flags, nonce, webhookId, type, files } = message;
    const { attachments, places } = this.#dependencies;
    return {
      id,
      channel_id: channelId,
      author,
      content,
      type,
      flags,
      timestamp: new Date(message.sentAt).toISOString(),
      edited_timestamp: message.editedAt === undefined ? null : new Date(message.editedAt).toISOString(),
      tts: false,
      pinned: false,
      mention_everyone: mentions.everyone,
      mention_roles: [...mentions.roles],
      mentions: [...mentions.users],
      attachments: files.map((file) => attachments.wire(file)),
      ...sent.parse(message),
      ...(message.reactions.size > 0 && { reactions: wireReactions(message) }),
      ...(nonce !== undefined && { nonce }),
      ...(webhookId !== undefined && { webhook_id: webhookId }),
      ...(message.interaction !== undefined && { application_id: applicationId, ...wireInteraction(message) }),
      ...referenceOf(message, places.has(channelId) ? places.get(channelId) : undefined),
    };
  }
}

function wireInteraction({ interaction }: StoredMessage): Pick<APIMessage, 'interaction_metadata'> {
  if (interaction === undefined) return {};
  const metadata = { id: interaction.id, user: interaction.user, authorizing_integration_owners: { 0: '0' } };
  if (interaction.type === 2) return { interaction_metadata: { ...metadata, type: 2 } };
  return { interaction_metadata: { ...metadata, type: 3, interacted_message_id: '0' } };
}

function wireReactions({ reactions }: StoredMessage): NonNullable<APIMessage['reactions']> {
  return [...reactions].map(([name, users]) => ({
    count: users.length,
    count_details: { normal: users.length, burst: 0 },
    me: users.includes(botId),
    me_burst: false,
    emoji: { id: null, name },
    burst_colors: [],
  }));
}

function referenceOf({ replyTo, channelId }: StoredMessage, channel: Channel | undefined) {
  if (replyTo === undefined) return {};
  const guild = channel?.guildId !== undefined && { guild_id: channel.guildId };
  return { message_reference: { type: 0, message_id: replyTo, channel_id: channelId, ...guild } };
}
