import type { InboundAttachment } from '../../contract.ts';
import type { OutboxDraft } from '../../engine/message.ts';
import type { AttachmentState } from '../../transcript.ts';

/** An attachment that was not fetched yet. */
export interface WaitingAttachment {
  /** The key of its message, with its channel. */
  readonly messageKey: string;
  /** The sequence of its message. */
  readonly seq: number;
  /** Which one of the message's it is, from 0. */
  readonly position: number;
  readonly attachment: InboundAttachment;
  /** Nothing else was sent with it. */
  readonly isAlone: boolean;
  /** The platform's name of its message. */
  readonly messageId?: string;
}

/** What has become of an attachment. */
export interface AttachmentOutcome {
  readonly messageKey: string;
  readonly position: number;
  /** In bytes, once it is known. */
  readonly size?: number;
  readonly state: Exclude<AttachmentState, { readonly state: 'pending' }>;
}

/** Where it is kept what has become of attachments. Each method is one transaction. */
export interface AttachmentStore {
  /** Those that were not fetched yet, of the messages with these sequences. */
  waiting(seqs: readonly number[]): Promise<readonly WaitingAttachment[]>;
  /** Stores what has become of some, and what people are told of it, together. One that has an outcome keeps it. */
  settle(outcomes: readonly AttachmentOutcome[], messages: readonly OutboxDraft[], at: number): Promise<void>;
}
