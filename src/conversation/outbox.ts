import type { StoredMessage } from '../approval/approval.ts';
import type { Conversation, MessageKind, MessageRef } from '../contract.ts';
import type { MessageFate } from '../tools/builtin/messages/courier.ts';
import type { FileKey } from './message-files.ts';

/** A stored message, on its way to people or already there. */
export interface OutboxRow {
  readonly message: StoredMessage;
  readonly conversationId: string;
  readonly conversation: Conversation;
  readonly kind: MessageKind;
  /** Grows with each change of the text or the buttons. */
  readonly revision: number;
  /** The parts that stand on the platform, in their order. A long message has several. */
  readonly refs: readonly MessageRef[];
  /** The messages that were shown before its text was known: the parts take their places. */
  readonly previews: readonly MessageRef[];
  /** Set once all of a revision was shown. */
  readonly deliveredRevision: number;
  /** When its text was known. */
  readonly createdAt: number;
  /** What the first of its parts said of its lateness, if parts were sent. */
  readonly lateNote?: string;
  /** What the platform would not take as a file. */
  readonly refusedFiles: readonly FileKey[];
  /** The approval that it asks for, while it asks. */
  readonly approvalId?: string;
  /** Set where it is sent once at most. `sending`: a try was begun, and its end was never noted. */
  readonly atMostOnce?: 'unsent' | 'sending';
}

/** What is shown before its text is known. */
export type StreamKind = Extract<MessageKind, 'reply' | 'status'>;

/** A part that stands on the platform. */
export interface SentPart {
  /** Which one of the message, from 0. */
  readonly index: number;
  readonly ref: MessageRef;
  /** What the message says of its lateness: the parts to come are those of a text that begins with it. */
  readonly lateNote?: string;
}

/** A message that a former process has begun to show, and has not finished. */
export interface LeftPreview {
  readonly messageId: string;
  readonly conversationId: string;
  readonly refs: readonly MessageRef[];
}

/** What a former process has left. */
export interface Recovered {
  /** The conversations with messages that are not shown as they should be. */
  readonly undelivered: readonly string[];
  /** Replies that were being shown while the model wrote them, the oldest first. */
  readonly previews: readonly LeftPreview[];
}

/** Messages that platforms have refused for good. */
export interface Refusals {
  readonly count: number;
  /** The newest of them: when it was written, where it was to be shown, and why it is not. */
  readonly newest: { readonly at: number; readonly conversationId: string; readonly reason: string };
}

/** Where messages wait for their delivery. Each method is one transaction. */
export interface OutboxStore {
  /** The oldest message of the lane that is not shown as it should be; undefined if there is none. */
  next(lane: string): Promise<OutboxRow | undefined>;
  /** One part of the message stands on the platform, be it a new one or in place of another. */
  partSent(messageId: string, part: SentPart): Promise<void>;
  /** Notes which files can't be sent, and the parts that remain of what was sent. */
  filesRefused(messageId: string, refused: readonly FileKey[], refs: readonly MessageRef[]): Promise<void>;
  /** The platform shows this revision. */
  delivered(messageId: string, revision: number, refs: readonly MessageRef[], at: number): Promise<void>;
  /** It will not be shown, and why. */
  failed(messageId: string, revision: number, reason: string): Promise<void>;
  /** What was refused for good since then, and is shown nowhere; undefined if nothing was. */
  refusedSince(at: number): Promise<Refusals | undefined>;
  /** A message begins to be shown before its text is known. */
  openStream(conversationId: string, messageId: string, kind: StreamKind, at: number): Promise<void>;
  /** The message that was begun is shown there by now. The text is what it shows, where that is to outlive the process. */
  previewed(messageId: string, refs: readonly MessageRef[], markdown?: string): Promise<void>;
  /** The message that was begun does not become one. */
  abandonStream(messageId: string): Promise<void>;
  /** What was begun is not finished by anybody: says so where it stands. */
  interruptStream(messageId: string, at: number): Promise<void>;
  /** Stores a message of Keyturn's own. */
  say(conversationId: string, message: StoredMessage, at: number): Promise<void>;
  /** Stores a message that is sent once at most: never again after a try whose end is not known. */
  sayOnce(conversationId: string, message: StoredMessage, at: number): Promise<void>;
  /** A part of such a message is about to be sent. On disk before it resolves. */
  sending(messageId: string): Promise<void>;
  /** The platform has not done it: it may be tried again. */
  notSent(messageId: string): Promise<void>;
  fateOf(messageId: string): Promise<MessageFate>;
  /** Finds what a former process has left. What was begun and never shown is given up; what tools did was interrupted. */
  recover(at: number): Promise<Recovered>;
  /** Whether the message is still to be shown as it should be. */
  isQueued(messageId: string): Promise<boolean>;
  /** The conversations of a channel with messages that are not shown as they should be. */
  undelivered(channel: string): Promise<readonly string[]>;
  /** Shows the open cards of a channel once more, where people can't see what was shown before the restart. */
  showCardsAgain(channel: string): Promise<readonly string[]>;
}

/** What is delivered in order: a chat with all its threads, since platforms limit the chat. */
export function laneOf(conversationId: string): string {
  return conversationId.replace(/:#[^:]*$/, '');
}
