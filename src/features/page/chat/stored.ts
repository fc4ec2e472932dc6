import type { Button } from '../../../contract.ts';
import type { JsonValue } from '../../../lib/json.ts';
import type { KeptFile } from '../../../tools/output.ts';

/** Something that stands in a conversation. */
export type StoredEntry = StoredMessage | StoredShown | StoredCall;

export interface StoredMessage {
  readonly of: 'message' | 'command';
  readonly seq: number;
  readonly key: string;
  readonly at: number;
  readonly principal: string;
  readonly name: string;
  readonly text: string;
  readonly quote: { readonly name?: string; readonly text?: string } | undefined;
  readonly attachments: number;
}

export interface StoredShown {
  readonly of: 'shown';
  readonly seq: number;
  readonly at: number;
  readonly id: string;
  readonly kind: 'reply' | 'for_user' | 'card' | 'notice';
  readonly markdown: string;
  readonly buttons: readonly (readonly Button[])[] | undefined;
  readonly files: readonly KeptFile[] | undefined;
  readonly approvalId: string | undefined;
  readonly approvalState: string | undefined;
}

export interface StoredCall {
  readonly of: 'call';
  readonly id: string;
  readonly turnId: number;
  readonly position: number;
  readonly at: number;
  readonly runId: string;
  readonly name: string;
  readonly category: string | undefined;
  readonly arguments: JsonValue;
  readonly state: 'ready' | 'awaiting' | 'begun' | 'done';
  readonly outcome: string | undefined;
  readonly duration: number | undefined;
  /** The beginning of what came of it, and how long all of it is. */
  readonly output: string | undefined;
  readonly size: number | undefined;
  readonly approvalState: string | undefined;
  readonly decidedBy: string | undefined;
}
