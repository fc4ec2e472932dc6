import type { Conversation } from '../contract.ts';

/** Attachments that have to be there before the model is asked. */
export interface FetchRequest {
  readonly conversationId: string;
  readonly conversation: Conversation;
  /** The folder that the conversation's tools work in: absolute, existing, without symlinks. */
  readonly workspace: string;
  /** The messages that they came with, by sequence. */
  readonly seqs: readonly number[];
}

/** Brings what people sent into the workspace. */
export interface AttachmentFetcher {
  /**
   * Resolves when none of them is pending any more, or the signal aborts. What cannot be had is stored as missing, and
   * its sender is told so.
   */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<void>;
}
