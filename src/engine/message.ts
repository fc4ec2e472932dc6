/*
 * What goes in and out, as it is written down: a message, an order to Keyturn, and who it came from. `Inbox` is the port
 * that takes what comes in.
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
import type { StoredMessage } from '../words/message-parts.ts';

/** A message that is written down before it is sent. */
export interface OutboxDraft {
  readonly conversationId: string;
  readonly message: StoredMessage;
}

/** Something that Keyturn itself says in a conversation. */
export function noticeIn(conversationId: string, markdown: string): OutboxDraft {
  return { conversationId, message: { id: newId(20), kind: 'notice', markdown } };
}

/** The event that brings a decision or a command: its key makes a second delivery harmless. */
export interface Origin {
  readonly key: string;
  /** Set where the answer is for this person alone: see `InboundMessage`. */
  readonly privateTo?: string;
  readonly conversation: Conversation;
  readonly conversationId: string;
  readonly principal: string;
  readonly name: string;
  /** The message whose button it was. */
  readonly pressed?: MessageRef;
  /** The groups of people that the platform counts them among there. */
  readonly roles?: readonly string[];
}

/** What Keyturn itself says to what somebody did: to them alone, if they did it where nobody else sees. */
export function noticeTo({ privateTo }: Pick<Origin, 'privateTo'>, markdown: string): OutboundMessage {
  return { id: newId(20), kind: 'notice', markdown, privateTo };
}

/** What Keyturn itself says to a message, below it. */
export function noticeFor({ messageId, privateTo }: InboundMessage, markdown: string): OutboundMessage {
  return { ...noticeTo({ privateTo }, markdown), replyTo: messageId };
}

/** A message that a person or a program said to the model. */
export interface MessageDraft {
  readonly origin: Origin;
  readonly text: string;
  readonly isPerson: boolean;
  readonly messageId?: string;
  readonly quote?: Quote;
  readonly shared?: readonly SharedText[];
  readonly attachments?: readonly AttachmentDraft[];
  /** Where the untrusted content comes from that came with it. */
  readonly untrusted: readonly string[];
  /** Whether what that person writes is trusted. In a group where others talk, too, what they write is not. */
  readonly isTrusted: (principal: string) => boolean;
  /** What the sender is told of it at once. */
  readonly notice?: OutboundMessage;
  readonly sentAt: number;
  readonly at: number;
}

/** An attachment as it came in. `missing`: it will not be fetched, and why. */
export type AttachmentDraft = InboundAttachment & { readonly missing?: string };

/** A message that its sender has changed. */
export interface EditDraft {
  readonly origin: Origin;
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  readonly text: string;
  readonly shared?: readonly SharedText[];
  /** Where content in it comes from that its sender did not write. */
  readonly untrusted: readonly string[];
  readonly at: number;
}

/** A message that its sender has taken back. */
export interface DeletionDraft {
  /** The key of the message, with its channel. */
  readonly messageKey: string;
  /** Who is said to have written it; undefined where the platform does not tell. */
  readonly principal: string | undefined;
  readonly at: number;
}

/**
 * `replaced`: no turn has seen the old text, which stood at `seq`, and now the new one stands in its place, as the newest ·
 * `noted`: the model has read the old text, and is told of the new one when it is asked next · `ignored`: it was no message
 * to the model, or was somebody else's, or says the same.
 */
type Edited = { readonly type: 'replaced'; readonly seq: number } | { readonly type: 'noted' | 'ignored' };

/**
 * `removed`: no turn has seen it, and nothing of what it said is kept · `noted`: the model has read it, and is told that it
 * was taken back when it is asked next · `ignored`: it was no message to the model, or was somebody else's.
 */
type Withdrawn =
  | { readonly type: 'removed'; readonly conversationId: string; readonly principal: string }
  | { readonly type: 'noted' | 'ignored' };

/** Where what comes in is written down. Each method is one transaction, and is on disk before it resolves. */
export interface Inbox {
  /**
   * Takes a message into the transcript. `repeated`: it was there before · `unheard`: a program said it, and nothing but
   * programs has spoken there lately. `visible` is told of an accepted one as soon as it can be answered, which is before
   * it is on disk: until then, the platform still has it.
   */
  accept(message: MessageDraft, visible?: () => void): Promise<'accepted' | 'repeated' | 'unheard'>;
  /** Remembers a message that nothing can be done with, and tells its sender why. False if it was there before. */
  decline(origin: Origin, message: OutboundMessage, at: number): Promise<boolean>;
  edit(edit: EditDraft): Promise<Edited>;
  withdraw(deletion: DeletionDraft): Promise<Withdrawn>;
  /** The conversation that goes on under this name, if it had another one before. */
  formerly(conversationId: string): string | undefined;
  /** Where a conversation is, if it was ever seen. */
  placeOf(conversationId: string): Conversation | undefined;
}

/** A message that is an order to Keyturn, not something for the model. */
export interface Command {
  /** Lower case, without the slash. */
  readonly name: string;
  /** The rest of the message, trimmed. */
  readonly argument: string;
}

/** Reads `/name the rest`. Undefined if the text is no command: a path such as `/etc/hosts` is none. */
export function parseCommand(text: string): Command | undefined {
  const match = /^\/([a-z][a-z0-9_]{0,31})(?:\s+([\s\S]*))?$/i.exec(text.trim());
  const [, name, argument] = match ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), argument: (argument ?? '').trim() };
}

/** Splits the first word off: `k3f9 too risky` is `k3f9` and `too risky`. */
export function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const [word = '', ...rest] = text.split(/\s+/);
  return { word, rest: rest.join(' ') };
}
