/** What goes through a channel, in both directions. Channels and all others read it from `contract.ts`. */

/** A place to talk on a channel: a chat, or one thread of it. */
export interface Conversation {
  /** The channel's name in the catalogue: `telegram`. */
  readonly channel: string;
  /** The Slack team or Discord guild, where chat ids are unique only within one. */
  readonly tenant?: string;
  readonly chatId: string;
  readonly threadId?: string;
  /** `direct`: one person and the bot. `group`: everything else. */
  readonly kind: 'direct' | 'group';
  /** What people call the place, for messages that speak of it. */
  readonly title?: string;
}

/** Who sent an event. The name is for people to read; only the id says who it is. */
export interface Sender {
  /** The platform's immutable id. Unique only together with the channel. */
  readonly id: string;
  readonly name: string;
  /** False for bots, webhooks and anonymous admins: they never decide anything. */
  readonly isPerson: boolean;
  /** The groups of people that the platform counts them among in this place, as the config names them: `role:123`. */
  readonly roles?: readonly string[];
}

export type InboundEvent = InboundMessage | InboundEdit | InboundDeletion | InboundAction;

/** What somebody sent: a text, attachments, or both. */
export interface InboundMessage {
  readonly type: 'message';
  /** The same for every delivery of the same message, and for no other event of the channel. */
  readonly key: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  /** What its sender typed. Empty where only attachments or the words of others were sent. */
  readonly text: string;
  /** Words of others that came with it. */
  readonly shared?: readonly SharedText[];
  /** Whether it is meant for the bot: a direct message, a mention, a reply to it, a command for it. */
  readonly addressed: boolean;
  /** It stands in a thread beneath a message. Where Keyturn has taken part in that, it need not be called again. */
  readonly isThreadReply?: boolean;
  /** When the platform says that it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The platform's name of the message in its chat: with it the message can be answered or marked. */
  readonly messageId?: string;
  /**
   * Set where nobody else reads it, as for a slash command: what Keyturn says to it is for its sender alone, and carries
   * this name.
   */
  readonly privateTo?: string;
  readonly attachments?: readonly InboundAttachment[];
  /** What it answers or quotes. */
  readonly quote?: Quote;
  /** One piece of several that the platform delivers one by one, as those of an album: more may follow within a second. */
  readonly isPiece?: boolean;
}

/** Something beside the text. It is fetched after the message was stored. */
export interface InboundAttachment {
  readonly kind: AttachmentKind;
  /** With which the channel finds it, also in a later process. */
  readonly handle: string;
  /** As the sender named it: anything may stand in it. */
  readonly name?: string;
  readonly mediaType?: string;
  /** In bytes, where the platform says. */
  readonly size?: number;
  /** It belongs to the words of others that came with the message: its sender did not make it. */
  readonly isShared?: boolean;
}

/** `voice`: spoken to the bot, in place of typing · `audio`: a recording or music · `file`: anything else. */
export type AttachmentKind = 'image' | 'voice' | 'audio' | 'video' | 'file';

/** A message, or a part of it, that another message answers. */
export interface Quote {
  /** Who wrote it; empty where the platform does not say. */
  readonly name: string;
  readonly text: string;
  /** The bot wrote it. */
  readonly isOwn: boolean;
}

/**
 * Words that the sender passes on and did not type: data for the model with its author's name, and never a command, a code,
 * an answer or a decision. The text may be empty where only files were passed on.
 */
export interface SharedText extends Quote {
  /** `forwarded`: another message, shared or forwarded · `inline_bot`: a bot of that name wrote it for the sender. */
  readonly how: 'forwarded' | 'inline_bot';
}

/** Somebody has changed the text of a message. */
export interface InboundEdit {
  readonly type: 'edit';
  /** Another one for each change. */
  readonly key: string;
  /** The key that the message had. */
  readonly messageKey: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  readonly text: string;
  /** Words of others in it, as they are now. */
  readonly shared?: readonly SharedText[];
}

/** Somebody has taken back a message. */
export interface InboundDeletion {
  readonly type: 'deletion';
  readonly key: string;
  /** The key that the message had. */
  readonly messageKey: string;
  readonly conversation: Conversation;
  /** Who had written the message; who took it back is not always told. */
  readonly sender: Sender;
}

/** The same where the platform does not tell whose message it was, and where: the host knows that by the message's key. */
export interface BareDeletion {
  readonly type: 'deletion';
  readonly key: string;
  readonly messageKey: string;
  readonly conversation?: never;
  readonly sender?: never;
}

/** A press of a button. */
export interface InboundAction {
  readonly type: 'action';
  readonly key: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  /** The `actionId` of the button. Anybody can forge it. */
  readonly actionId: string;
  /** The message that the button is on, as `send` has named it. */
  readonly messageRef?: MessageRef;
  /** What the person wrote, where the button asks for it. */
  readonly text?: string;
}

/** What to tell the sender of an event at once, and nobody else. Where the platform cannot do that, it is not said. */
export interface Receipt {
  readonly notice?: string;
}

/** A message to show. */
export interface OutboundMessage {
  /** At most 25 characters of `[a-z0-9]`, the same at every try: a nonce for platforms that take one. */
  readonly id: string;
  readonly kind: MessageKind;
  /** CommonMark with GFM. At most as long as the channel's `maxLength`, by its own `measure`. */
  readonly markdown: string;
  readonly buttons?: readonly (readonly Button[])[];
  /** Shown together with the text, which may be empty then. At most as large as the channel's `maxFileBytes`. */
  readonly file?: OutboundFile;
  /** The `messageId` of the message that it answers. Where that is gone, it is sent all the same. */
  readonly replyTo?: string;
  /** The `privateTo` of the message that it answers: only the sender of that sees it. */
  readonly privateTo?: string;
  /**
   * Since when it may stand there already, in milliseconds since 1970: a former process may have sent it, and ended before
   * it noted so. A platform that can be asked for it is asked first.
   */
  readonly mayStandSince?: number;
}

/** A file on its way to people. */
export interface OutboundFile {
  /** As people see it: one path segment. */
  readonly name: string;
  readonly mediaType: string;
  /** Where it stands on this machine: an absolute path. It is not changed any more. */
  readonly path: string;
}

/**
 * `reply`: what the model says · `for_user`: what a tool shows to people only · `card`: asks for an approval, and later
 * says what became of it · `notice`: what Keyturn itself says · `status`: what tools are doing.
 */
export type MessageKind = 'reply' | 'for_user' | 'card' | 'notice' | 'status';

export interface Button {
  /** At most 64 bytes. */
  readonly actionId: string;
  readonly label: string;
  /** What a person types for it where there is nothing to press. */
  readonly shortcut: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** A press asks for a text first, under this heading of 45 characters at most. Only where the channel has `forms`. */
  readonly asks?: string;
}

/** Where a message stands on the platform, so that it can be edited. */
export interface MessageRef {
  readonly id: string;
}

/** The one spelling of a place, as the store and the logs name it: `telegram:-1001:7`. */
export function conversationId({ channel, tenant, chatId, threadId }: Conversation): string {
  const place = (tenant === undefined ? [chatId] : [tenant, chatId]).map(encode);
  return [channel, ...place, ...(threadId === undefined ? [] : [`#${encode(threadId)}`])].join(':');
}

function encode(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

/** A person as access, approval and grants know them: `telegram:123456`. */
export function principalOf(channel: string, senderId: string): string {
  return `${channel}:${senderId}`;
}

/** The channel and the sender's id of a principal. The id may have colons in it, the name of a channel has none. */
export function partsOf(principal: string): { readonly channel: string; readonly senderId: string } {
  const colon = principal.indexOf(':');
  return { channel: principal.slice(0, colon), senderId: principal.slice(colon + 1) };
}
