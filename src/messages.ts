/** Messages and events that pass through a channel, in both directions. Import them from `contract.ts`. */

/** Where people talk on a channel: a chat, or one thread of it. */
export interface Conversation {
  /** The channel's name in the catalogue: `telegram`. */
  readonly channel: string;
  /** The Slack team or Discord guild. Chat ids are unique only within it. */
  readonly tenant?: string;
  readonly chatId: string;
  readonly threadId?: string;
  /** `direct`: one person and the bot. `group`: everything else. */
  readonly kind: 'direct' | 'group';
  /** The name that people know it by. */
  readonly title?: string;
}

/** The sender of an event. Identity is the id; the name is for display only. */
export interface Sender {
  /** The platform's immutable id. Unique within the channel only. */
  readonly id: string;
  readonly name: string;
  /** False for bots, webhooks and anonymous admins: they cannot decide anything. */
  readonly isPerson: boolean;
  /** Their IANA time zone, if the platform tells it. */
  readonly timeZone?: string;
  /** The language of their client as a BCP 47 tag, if the platform tells it: `zh-CN`. */
  readonly language?: string | undefined;
  /** The platform roles of the sender in this conversation, as the config spells them: `role:123`. */
  readonly roles?: readonly string[];
}

export type InboundEvent = InboundMessage | InboundEdit | InboundDeletion | InboundAction | InboundMembership;

/** A text, attachments, or both. */
export interface InboundMessage {
  readonly type: 'message';
  /** Identical for every delivery of the same message, and unique among the channel's events. */
  readonly key: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  /** The sender's own text. Empty if they sent only attachments or shared content. */
  readonly text: string;
  /** Content by other authors that came with it. */
  readonly shared?: readonly SharedText[];
  /** Whether it is meant for the bot: a direct message, a mention, a reply to it, or a command for it. */
  readonly addressed: boolean;
  /** It stands in a thread. Where Keyturn has taken part in the thread, no mention is needed. */
  readonly isThreadReply?: boolean;
  /** The platform's send time, in ms since 1970. */
  readonly sentAt: number;
  /** The message id that the platform uses in this chat, for replies and marks. */
  readonly messageId?: string;
  /**
   * Set if nobody else can read the message, as for a slash command. Replies carry this value and are visible to the
   * sender only.
   */
  readonly privateTo?: string;
  readonly attachments?: readonly InboundAttachment[];
  /** The message that it answers or quotes. */
  readonly quote?: InboundQuote;
  /**
   * The message of the bot that `text` answers: the ref that `send` returned. Only for words that the sender typed: a yes or
   * no decides a card.
   */
  readonly answersTo?: string;
  /** For platforms without replies to one message: it stands in a thread and is for the bot, so it answers what is asked there. */
  readonly answersThread?: boolean;
  /** What it is, if nothing in it can be read: `a gift`. Its sender is told. Then the text is empty. */
  readonly unreadable?: string;
  /** One of several pieces that the platform delivers separately, as for an album. More may follow within 1 s. */
  readonly isPiece?: boolean;
}

/** A file. It is fetched after the message was stored. */
export interface InboundAttachment {
  readonly kind: AttachmentKind;
  /** The channel's reference to it. Valid across restarts. */
  readonly handle: string;
  /** The sender's name for it. Untrusted. */
  readonly name?: string;
  readonly mediaType?: string;
  /** In bytes, if the platform tells. */
  readonly size?: number;
  /** It belongs to the shared content: the sender did not make it. */
  readonly isShared?: boolean;
}

/** `voice`: spoken to the bot in place of typing · `audio`: a recording or music · `file`: anything else. */
export type AttachmentKind = 'image' | 'voice' | 'audio' | 'video' | 'file';

/** A message that another message answers, or a part of it. */
export interface Quote {
  /** Its author; empty if the platform does not tell. */
  readonly name: string;
  readonly text: string;
  /** The bot wrote it. */
  readonly isOwn: boolean;
}

/** The message that a new one answers. Its files come along: those kept here from before, others are fetched. */
export interface InboundQuote extends Quote {
  /** Its key among the channel's events, if it has files. Omitted if it stands in another chat. */
  readonly messageKey?: string;
  readonly attachments?: readonly InboundAttachment[];
}

/**
 * Content that the sender passes on but did not write. The model sees it as data with its author's name; it is never a
 * command, a code, an answer or a decision. The text may be empty if only files were passed on.
 */
export interface SharedText extends Quote {
  /** `forwarded`: another message, shared or forwarded · `inline_bot`: the bot of that name wrote it for the sender. */
  readonly how: 'forwarded' | 'inline_bot';
}

/** A changed message. */
export interface InboundEdit {
  readonly type: 'edit';
  /** A different one for each change. */
  readonly key: string;
  /** The key of the changed message. */
  readonly messageKey: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  readonly text: string;
  /** The shared content after the change. */
  readonly shared?: readonly SharedText[];
  /** As for a message. */
  readonly answersTo?: string;
  readonly answersThread?: boolean;
}

/** A deleted message. */
export interface InboundDeletion {
  readonly type: 'deletion';
  readonly key: string;
  /** The key of the deleted message. */
  readonly messageKey: string;
  readonly conversation: Conversation;
  /** The message's author. The platform may not tell who deleted it. */
  readonly sender: Sender;
}

/** A deletion without author and conversation, if the platform tells neither. The host looks them up by the message's key. */
export interface BareDeletion {
  readonly type: 'deletion';
  readonly key: string;
  readonly messageKey: string;
  readonly conversation?: never;
  readonly sender?: never;
}

/** A button press. */
export interface InboundAction {
  readonly type: 'action';
  readonly key: string;
  readonly conversation: Conversation;
  readonly sender: Sender;
  /** The `actionId` of the button. Anybody can forge it. */
  readonly actionId: string;
  /** The message with the button: the ref that `send` returned. */
  readonly messageRef?: MessageRef;
  /** The text that the person entered, if the button asks for one. */
  readonly text?: string;
}

/** Somebody added the bot to a chat, or took it out; or, in a direct chat, began to talk to it, or blocked it. */
export interface InboundMembership {
  readonly type: 'membership';
  readonly key: string;
  readonly conversation: Conversation;
  /** Who did it. If the platform does not tell: no person, with an empty name and `unknown` as id. */
  readonly sender: Sender;
  readonly change: 'added' | 'removed';
}

/** Shown at once to the sender of the event, and to nobody else. Dropped if the platform cannot do that. */
export interface Receipt {
  readonly notice?: string;
}

/** A message to show. */
export interface OutboundMessage {
  /** At most 25 characters of `[a-z0-9]`, the same for every retry. Serves as nonce on platforms that take one. */
  readonly id: string;
  readonly kind: MessageKind;
  /** CommonMark with GFM. At most `maxLength` of the channel, by its own `measure`. */
  readonly markdown: string;
  readonly buttons?: readonly (readonly Button[])[];
  /** Shown together with the text, which may then be empty. At most `maxFileBytes` of the channel. */
  readonly file?: OutboundFile;
  /** More of it may follow: the text so far as it was written. `markdown` is that text with all that is open closed. */
  readonly written?: string | undefined;
  /** The `messageId` that it answers. If that message is gone, the reply is sent anyway. */
  readonly replyTo?: string;
  /** The `privateTo` of the message that it answers: visible to that sender only. */
  readonly privateTo?: string;
  /** No device rings for it. Platforms that cannot do that ignore it. */
  readonly isSilent?: true | undefined;
  /**
   * An earlier process may have sent it since then (ms since 1970) and died before storing that. Platforms that can be
   * queried are asked before it is sent again.
   */
  readonly mayStandSince?: number;
}

/** A file to send. */
export interface OutboundFile {
  /** Display name: one path segment. */
  readonly name: string;
  readonly mediaType: string;
  /** An absolute path on this machine. The file no longer changes. */
  readonly path: string;
  /** Words that were spoken: a voice message, where the platform has these. */
  readonly isVoice?: true | undefined;
}

/**
 * `reply`: the model's answer · `for_user`: a tool's output for people only · `card`: asks for an approval and later
 * shows its outcome · `notice`: from Keyturn itself · `status`: shows running tools.
 */
export type MessageKind = 'reply' | 'for_user' | 'card' | 'notice' | 'status';

export interface Button {
  /** At most 64 bytes. */
  readonly actionId: string;
  readonly label: string;
  /** What a person types where there is no button to press. */
  readonly shortcut: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** A press asks for a text first, under this heading (at most 45 characters). Needs the channel's `forms`. */
  readonly asks?: string;
  /** A press shows what the card folds. Left out where the channel `folds`, and where nothing is folded. */
  readonly unfolds?: true;
}

/** A message on the platform, for later edits. */
export interface MessageRef {
  readonly id: string;
  /** False if a preview does not grow there, on a channel where others do. */
  readonly grows?: false | undefined;
}

/** The canonical id of a conversation, in the store and in logs: `telegram:-1001:7`. */
export function conversationId({ channel, tenant, chatId, threadId }: Conversation): string {
  const chat = (tenant === undefined ? [chatId] : [tenant, chatId]).map(encode);
  return [channel, ...chat, ...(threadId === undefined ? [] : [`#${encode(threadId)}`])].join(':');
}

function encode(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

/** The id of a person in access rules, approvals and grants: `telegram:123456`. */
export function principalOf(channel: string, senderId: string): string {
  return `${channel}:${senderId}`;
}

/** The channel and the sender's id of a principal. Ids may contain colons; channel names never do. */
export function partsOf(principal: string): { readonly channel: string; readonly senderId: string } {
  const colon = principal.indexOf(':');
  return { channel: principal.slice(0, colon), senderId: principal.slice(colon + 1) };
}
