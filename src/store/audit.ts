import type { Origin } from '../engine/message.ts';
import type { JsonObject } from '../lib/json.ts';
import { insertInto, type Sql } from './sql.ts';

export interface AuditEntry {
  readonly at: number;
  /** What was done, as noun and verb: `call-begun`, `person-paired`. A feature names its own. */
  readonly kind: string;
  readonly conversationId: string;
  /** The person who did it, or `keyturn`. */
  readonly actor: string;
  readonly callId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly detail: JsonObject;
}

/** Appends to the audit: who asked, who allowed, and the outcome. Triggers in the database prevent changes. */
export const add: (sql: Sql, entry: AuditEntry) => void = insertInto(
  `audit (at, kind, conversation_id, actor, call_id, approval_id, detail)`,
);

/** Appends what a person did by a command, in the conversation where they gave it. */
export const addBy = (
  sql: Sql,
  kind: string,
  { conversationId, principal: actor }: Pick<Origin, 'conversationId' | 'principal'>,
  at: number,
  detail: JsonObject = {},
): void => add(sql, { at, kind, conversationId, actor, detail });
