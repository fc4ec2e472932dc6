import type { Conversation, MessageKind, MessageRef, OutboundMessage } from '../contract.ts';

/** A stored message, on its way to people or already there. */
export interface OutboxRow {
  readonly message: OutboundMessage;
  readonly conversationId: string;
  readonly conversation: Conversation;
  readonly kind: MessageKind;
  /** Grows with each change of the text or the buttons. */
  readonly revision: number;
  /** The parts that stand on the platform, in their order. A long message has several. */
  readonly refs: readonly MessageRef[];
  /** Set once all of a revision was shown. */
  readonly deliveredRevision: number;
  readonly createdAt: number;
  /** The approval that it asks for, while it asks. */
  readonly approvalId?: string;
}

/** Where messages wait for their delivery. Each method is one transaction. */
export interface OutboxStore {
  /** The oldest message of the lane that is not shown as it should be; undefined if there is none. */
  next(lane: string): Promise<OutboxRow | undefined>;
  /** One part of the message stands on the platform. */
  partSent(messageId: string, ref: MessageRef): Promise<void>;
  /** The platform shows this revision. */
  delivered(messageId: string, revision: number, refs: readonly MessageRef[], at: number): Promise<void>;
  /** It will not be shown, and why. */
  failed(messageId: string, revision: number, reason: string): Promise<void>;
  /** A reply begins to be shown before its text is known. */
  openStream(conversationId: string, messageId: string, at: number): Promise<void>;
  /** The reply that was begun does not become a message. */
  abandonStream(messageId: string): Promise<void>;
  /** Stores a message of Keyturn's own. */
  say(conversationId: string, message: OutboundMessage, at: number): Promise<void>;
  /** The conversations with messages that are not shown as they should be. Streams of a former process are given up. */
  recover(): Promise<readonly string[]>;
  /** Shows the open cards of a channel once more, where people can't see what was shown before the restart. */
  showCardsAgain(channel: string): Promise<readonly string[]>;
}

/** What is delivered in order: a chat with all its threads, since platforms limit the chat. */
export function laneOf(conversationId: string): string {
  return conversationId.replace(/:#[^:]*$/, '');
}
