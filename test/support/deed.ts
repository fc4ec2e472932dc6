import type { Conversation, InboundAttachment } from '../../src/contract.ts';

/** What a person does. */
export interface Deed {
  readonly by?: string;
  readonly in?: Conversation;
  readonly key?: string;
  readonly isPerson?: boolean;
  /** What he calls himself. */
  readonly name?: string;
  readonly addressed?: boolean;
  /** More of the same message is to come. */
  readonly isPiece?: boolean;
  readonly attachments?: readonly InboundAttachment[];
  /** When the platform says that it was sent, in milliseconds since 1970. */
  readonly sentAt?: number;
}
