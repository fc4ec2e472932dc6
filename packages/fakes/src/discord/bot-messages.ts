import { z } from 'zod';
import { rowsForm } from './components.ts';
import type { RequestBody } from './files.ts';
import {
  type AllowedMentions,
  findMentions,
  type MessageContent,
  messageFlags,
  type StoredMessage,
} from './messages.ts';
import { type Channel, channelTypes } from './places.ts';
import { Refusal, readForm, refusals } from './refusal.ts';
import type { DiscordWorld } from './world.ts';

/** What a bot may set, in a new message and in a change. Others are ignored. */
const settable = {
  first: messageFlags.suppressEmbeds | messageFlags.ephemeral | messageFlags.suppressNotifications,
  later: messageFlags.suppressEmbeds | messageFlags.ephemeral,
} as const;

const changeForm = z.strictObject({
  content: z.string().max(2000).optional(),
  embeds: z.array(z.looseObject({})).max(10).optional(),
  components: rowsForm.optional(),
  flags: z.int().nonnegative().optional(),
  allowed_mentions: z
    .strictObject({ parse: z.array(z.string()).optional(), replied_user: z.boolean().default(false) })
    .optional(),
});
const newForm = changeForm.extend({
  nonce: z.string().max(25).optional(),
  enforce_nonce: z.boolean().default(false),
  message_reference: z.strictObject({ message_id: z.string(), fail_if_not_exists: z.boolean() }).optional(),
});

/** What the bot shows, and all that Discord wants of it first. All throw the refusals that Discord would give. */
export function createBotMessages(world: DiscordWorld) {
  const { places, messages, attachments, account, times, now } = world;
  const nonces = new Map<string, { readonly message: StoredMessage; readonly at: number }>();

  /** What the body makes of a message: what it does not name stays. */
  function contentOf(channel: Channel, body: RequestBody, before?: StoredMessage, replyTo = before?.replyTo) {
    const form = readForm(newForm, body.json ?? {});
    const { content = before?.content ?? '', embeds = before?.embeds ?? [], allowed_mentions: allowed } = form;
    const { components = before?.components ?? [] } = form;
    const old = before?.flags ?? 0;
    const mine = before === undefined ? settable.first : settable.later;
    const flags = form.flags === undefined ? old : (old & ~mine) | (form.flags & mine);
    const files = body.uploads.map((upload) => attachments.add(world.nextId(), channel.id, upload));
    const all = [...(before?.files ?? []), ...files];
    if (content.trim() === '' && embeds.length + components.length + all.length === 0)
      throw new Refusal(400, 50006, 'Cannot send an empty message');
    const mentions = mentionsIn(channel, content, allowed, replyTo);
    return { content: content.trim(), embeds, components, flags, files: all, mentions } satisfies MessageContent;
  }

  /** Nobody is called by what embeds say. */
  function mentionsIn(channel: Channel, content: string, allowed?: AllowedMentions, replyTo?: string) {
    const mayCallEveryone = places.allows(channel, ['MENTION_EVERYONE']);
    const repliedUser = messages.find(channel.id, replyTo)?.author;
    return findMentions(content, { guild: places.guildOf(channel), mayCallEveryone, repliedUser, allowed });
  }

  function checkMayWrite(channel: Channel, hasFiles = false): void {
    const { thread } = channel;
    if (channel.type === channelTypes.forum)
      throw new Refusal(400, 50008, 'Cannot send messages in a non-text channel');
    if (channel.isClosed === true) throw refusals.closedChat();
    if (thread?.archived === true && thread.locked) throw refusals.archived();
    const needed = thread === undefined ? 'SEND_MESSAGES' : 'SEND_MESSAGES_IN_THREADS';
    if (!places.allows(channel, hasFiles ? [needed, 'ATTACH_FILES'] : [needed])) throw refusals.missingPermissions();
  }

  return {
    contentOf,
    checkMayWrite,

    /** Gives the message that there is already if the nonce says so. */
    send(channel: Channel, body: RequestBody): StoredMessage {
      const form = readForm(newForm, body.json ?? {});
      const { nonce = '', enforce_nonce: isEnforced, message_reference: reference } = form;
      checkMayWrite(channel, body.uploads.length > 0);
      if (reference !== undefined && !places.allows(channel, ['READ_MESSAGE_HISTORY']))
        throw new Refusal(403, 160002, 'Cannot reply without permission to read message history');
      const known = isEnforced ? nonces.get(nonce) : undefined;
      if (known !== undefined && now() - known.at < times.nonce)
        return messages.find(channel.id, known.message.id) ?? known.message;
      const replyTo = messages.find(channel.id, reference?.message_id)?.id;
      if (reference?.fail_if_not_exists === true && replyTo === undefined)
        throw new Refusal(400, 50035, 'Invalid Form Body');
      const content = contentOf(channel, body, undefined, replyTo);
      const type = replyTo === undefined ? 0 : 19;
      const message = world.post(channel.id, { author: account.user, type, replyTo, nonce: form.nonce, ...content });
      nonces.set(nonce, { message, at: now() });
      return message;
    },

    change(channel: Channel, message: StoredMessage, body: RequestBody): StoredMessage {
      readForm(changeForm, body.json ?? {});
      if (now() - message.sentAt > times.oldMessage && message.edits >= world.mostLateEdits) {
        const words = 'Maximum number of edits to messages older than 1 hour reached. Try again later';
        throw new Refusal(429, 30046, words, { retry_after: 60, global: false });
      }
      return world.change(message, contentOf(channel, body, message));
    },

    forget(): void {
      nonces.clear();
    },
  };
}

export type BotMessages = ReturnType<typeof createBotMessages>;
