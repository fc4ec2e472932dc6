import type { Conversation, RunFailure, ShownCall, ShownResult, ToolStatus } from '../contract.ts';
import type { ClosingReason } from '../transcript.ts';

/** What people see of a run while it goes on. Nothing of it has to arrive: what has to is stored first. */
export interface Presenter {
  /** A reply begins to be written. Undefined where the channel can't show one before it is finished. */
  openReply(conversationId: string, options?: { readonly replyTo?: string }): LiveReply | undefined;
  showStatus(conversationId: string, status: ToolStatus): void;
  /** A call begins, with these arguments. */
  showCall(conversationId: string, call: ShownCall): void;
  showResult(conversationId: string, result: ShownResult): void;
  /** What the model thinks: adds to it. */
  showThinking(conversationId: string, delta: string): void;
  /** What becomes of the calls of a turn, now that it is stored; none, if it is given up. */
  showVerdicts(conversationId: string, calls: readonly JudgedCall[]): void;
  /** Shows that something is being done, until the returned function is called. */
  showWorking(place: Conversation, conversationId: string): () => void;
  /** The messages, by the platform's names, are being worked on, until `settled`. */
  showTaken(place: Conversation, conversationId: string, messageIds: readonly string[]): void;
  /** Nothing is being worked on in the conversation any more. */
  settled(conversationId: string): void;
  /** A run was closed without an answer, and the words for that are stored: delivers them. `failure`: if it has failed. */
  closed(conversationId: string, reason: ClosingReason, failure: RunFailure): void;
  /** Messages were stored for these conversations: deliver them. */
  deliver(conversationIds: readonly string[]): void;
}

/** `runs`: it is executed, now or soon · `asks`: a person has a card for it · `refused`: it is not executed. */
export interface JudgedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly fate: 'runs' | 'asks' | 'refused';
}

export interface LiveReply {
  /** The outbox id of the message that it becomes. */
  readonly id: string;
  push(delta: string): void;
  /** The text is whole: what is shown of it does not change any more before it is delivered. */
  complete(): void;
  /** It does not become a message. */
  abandon(): Promise<void>;
  /** The process ends before the text does: the next one may go on with what is shown. */
  leave(): Promise<void>;
}
