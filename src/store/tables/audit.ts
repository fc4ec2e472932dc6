import type { JsonObject } from '../../lib/json.ts';
import type { Database, Statement } from '../database.ts';

/** What is written into the audit. */
export interface AuditEntry {
  readonly at: number;
  readonly kind: AuditKind;
  readonly conversationId: string;
  /** The person who did it, or `keyturn`. */
  readonly actor: string;
  readonly callId?: string;
  readonly approvalId?: string;
  readonly detail: JsonObject;
}

export type AuditKind =
  | 'call-proposed'
  | 'call-begun'
  | 'call-ended'
  | 'sub-run-begun'
  | 'approval-asked'
  | 'approval-decided'
  | 'approval-expired'
  | 'approval-cancelled'
  | 'question-answered'
  | 'extension-asked'
  | 'grant-given'
  | 'grant-revoked'
  | 'command'
  | 'owner-claimed'
  | 'stranger-refused'
  | 'code-given'
  | 'person-paired'
  | 'person-unpaired'
  | 'account-linked'
  | 'account-unlinked'
  | 'device-paired'
  | 'device-revoked'
  | 'trust-given'
  | 'trust-ended'
  | 'schedule-made'
  | 'schedule-cancelled'
  | 'schedule-due';

/** The trail of who asked for what, who allowed it, and what came of it. The database itself refuses to change it. */
export class AuditTable {
  readonly #insert: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT INTO audit (at, kind, conversation_id, actor, call_id, approval_id, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
  }

  add({ at, kind, conversationId, actor, callId, approvalId, detail }: AuditEntry): void {
    this.#insert.run(at, kind, conversationId, actor, callId ?? null, approvalId ?? null, JSON.stringify(detail));
  }
}
