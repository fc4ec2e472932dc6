import type { Conversation, ToolStatus } from '../contract.ts';

/** What people see of a run while it goes on. Nothing of it has to arrive: what has to is stored first. */
export interface Presenter {
  /** A reply begins to be written. Undefined where the channel can't show one before it is finished. */
  openReply(conversationId: string): LiveReply | undefined;
  showStatus(conversationId: string, status: ToolStatus): void;
  /** Shows that something is being done, until the returned function is called. */
  showWorking(conversationId: string): () => void;
  /** The messages, by the platform's names, are being worked on, until `settled`. */
  showTaken(place: Conversation, conversationId: string, messageIds: readonly string[]): void;
  /** Nothing is being worked on in the conversation any more. */
  settled(conversationId: string): void;
  /** Messages were stored for these conversations: deliver them. */
  deliver(conversationIds: readonly string[]): void;
}

export interface LiveReply {
  /** The outbox id of the message that it becomes. */
  readonly id: string;
  push(delta: string): void;
  /** It does not become a message. */
  abandon(): Promise<void>;
}
