/*
 * Messages in and out as they are stored: a message, a command, and its origin. `Inbox` is the port that takes them in.
 */

import type {
  Conversation,
  InboundAttachment,
  InboundMessage,
  MessageRef,
  OutboundMessage,
  Quote,
  SharedText,
} from '../contract.ts';
import { newId } from '../lib/ids.ts';
import type { Language, Written } from '../lib/words.ts';
import type { StoredMessage } from '../words/message-parts.ts';

/** A message that is stored before it is sent. */
export interface OutboxDraft {
  readonly conversationId: string;
  readonly message: StoredMessage;
}

/** A notice from Keyturn itself. */
export function noticeIn(conversationId: string, markdown: string): OutboxDraft {
  return { conversationId, message: { id: newId(20), kind: 'notice', markdown } };
}

/** The event behind a decision or a command. Its key makes redelivery harmless. */
export interface Origin {
  readonly key: string;
  /** Set if only this person may see the answer: see `InboundMessage`. */
  readonly privateTo?: string;
  readonly conversation: Conversation;
  readonly conversationId: string;
  readonly principal: string;
  readonly name: string;
  /** The message with the pressed button. */
  readonly pressed?: MessageRef;
  /** The sender's roles on the platform. */
  readonly roles?: readonly string[];
  /** The sender's time zone, if the platform tells it. */
  readonly timeZone?: string;
  /** The language of their client, if the platform tells it and we speak it. */
  readonly language?: Language;
  /** The language that their message is written in. */
  readonly writes?: Written;
}

/** A notice about what somebody did: private if they did it in private. */
export function noticeTo({ privateTo }: Pick<Origin, 'privateTo'>, markdown: string): OutboundMessage {
  return { id: newId(20), kind: 'notice', markdown, privateTo };
}

/** A notice in reply to a message. */
export function noticeFor({ messageId, privateTo }: InboundMessage, markdown: string): OutboundMessage {
  return { ...noticeTo({ privateTo }, markdown), replyTo: messageId };
}

/** A message to the model, from a person or a program. */
export interface MessageDraft {
  readonly origin: Origin;
  readonly text: string;
  readonly isPerson: boolean;
  readonly messageId?: string;
  readonly quote?: KeptQuote;
  readonly shared?: readonly SharedText[];
  /** Its own, then those of the quoted message. */
  readonly attachments?: readonly AttachmentDraft[];
  /** Sources of the untrusted content in it. */
  readonly untrusted: readonly string[];
  /** Whether this person's words are trusted. Other people's words in a group are not. */
  readonly isTrusted: (principal: string) => boolean;
  /** Told to the sender at once. */
  readonly notice?: OutboundMessage;
  readonly sentAt: number;
  readonly at: number;
}

/** A quoted message as it is stored. */
export interface KeptQuote extends Quote {
  /** The key of the message, with its channel. */
  readonly messageKey?: string;
  /** How many attachments are its files: the last ones. */
  readonly files?: number;
}

/** An attachment as received. `missing`: why it will not be fetched. */
export type AttachmentDraft = InboundAttachment & { readonly missing?: string };

/** An edit of a message by its sender. */
export interface EditDraft {
  readonly origin: Origin;
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  readonly text: string;
  readonly shared?: readonly SharedText[];
  /** Sources of content that the sender did not write. */
  readonly untrusted: readonly string[];
  readonly at: number;
}

/** A message that its sender deleted. */
export interface DeletionDraft {
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  /** Its author; undefined if the platform does not tell. */
  readonly principal: string | undefined;
  readonly at: number;
}

/**
 * `replaced`: no turn had seen the old text at `seq`; the new text is the newest message · `noted`: the model has read the old
 * text and will be told · `ignored`: no message to the model, somebody else's, or no change.
 */
type Edited = { readonly type: 'replaced'; readonly seq: number } | { readonly type: 'noted' | 'ignored' };

/**
 * `removed`: no turn had seen it; its text is gone · `noted`: the model has read it and will be told · `ignored`: no message
 * to the model, or somebody else's.
 */
type Withdrawn =
  | { readonly type: 'removed'; readonly conversationId: string; readonly principal: string }
  | { readonly type: 'noted' | 'ignored' };

/** Stores what comes in. Each method is one transaction, on disk before it resolves. */
export interface Inbox {
  /**
   * Adds a message to the transcript. `repeated`: stored before · `unheard`: from a program, after too many programs in a row.
   * `visible` is called when the message can be answered, before it is on disk: until then the platform still has it.
   */
  accept(message: MessageDraft, visible?: () => void): Promise<'accepted' | 'repeated' | 'unheard'>;
  /** Stores a message that can't be used, and tells its sender why. False if it was stored before. */
  decline(origin: Origin, message: OutboundMessage, at: number): Promise<boolean>;
  edit(edit: EditDraft): Promise<Edited>;
  withdraw(deletion: DeletionDraft): Promise<Withdrawn>;
  /** Whether anything was ever said there. Without an id: false. */
  isKnown(conversationId: string | undefined): Promise<boolean>;
}

/** A command to Keyturn. */
export interface Command {
  /** Lower case, without the slash. */
  readonly name: string;
  /** The rest of the message, trimmed. */
  readonly argument: string;
}

/** Parses `/name the rest`. Undefined for anything else, such as the path `/etc/hosts`. */
export function parseCommand(text: string): Command | undefined {
  const match = /^\/([a-z][a-z0-9_]{0,31})(?:\s+([\s\S]*))?$/i.exec(text.trim());
  const [, name, argument] = match ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), argument: (argument ?? '').trim() };
}

/** Splits off the first word: `k3f9 too risky` → `k3f9`, `too risky`. */
export function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const [word = '', ...rest] = text.split(/\s+/);
  return { word, rest: rest.join(' ') };
}
