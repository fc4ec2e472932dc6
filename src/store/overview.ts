/* What the operator asks of the whole database: of all conversations and people. Reads only. */

import { columns, type Row, type Sql } from './sql.ts';

/** How many saved permissions hold. */
export function countGrants(sql: Sql, now: number): number {
  return sql.number(standingGrants, now);
}

const standingGrants = `SELECT count(*) FROM grants WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`;

/** A saved permission that holds. */
export interface StandingGrant {
  readonly id: string;
  readonly kind: string;
  readonly conversationId: string;
  readonly requester: string;
  readonly toolName: string;
  readonly description: string;
  readonly grantedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

/** The saved permissions that hold, the newest first. */
export function grantsStanding(sql: Sql, now: number, most: number): readonly StandingGrant[] {
  return sql.list(toGrant, newestGrants, now, most);
}

const newestGrants = `SELECT id, kind, conversation_id, requester, tool_name, description, granted_by, created_at, expires_at
  FROM grants WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) ORDER BY created_at DESC LIMIT ?`;

const toGrant: (row: Row) => StandingGrant = columns({
  id: 'text',
  kind: 'text',
  conversationId: 'text',
  requester: 'text',
  toolName: 'text',
  description: 'text',
  grantedBy: 'text',
  createdAt: 'integer',
  expiresAt: 'integer?',
});
