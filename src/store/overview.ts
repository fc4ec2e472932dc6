/* What the operator asks of the whole database: of all conversations and people. Reads only. */

import { columns, type Row, type Sql } from './sql.ts';

/** How many saved permissions hold. */
export async function countGrants(sql: Sql, now: number): Promise<number> {
  return await sql.number(standingGrants, now);
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
export async function grantsStanding(sql: Sql, now: number, most: number): Promise<readonly StandingGrant[]> {
  return await sql.list(toGrant, newestGrants, now, most);
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

/** What was spent on a day with a model. The cost is in millionths. */
export interface DaySpending {
  readonly day: string;
  readonly model: string;
  readonly tokens: number;
  readonly cost: number;
}

/** By day and model, the latest day first. `principal`: of this person alone. */
export async function spendingByDay(sql: Sql, days: number, principal?: string): Promise<readonly DaySpending[]> {
  return await sql.list(toDaySpending, newestDays, { days, principal: principal ?? null });
}

const newestDays = `SELECT day, model, sum(tokens) AS tokens, sum(cost) AS cost FROM spending
  WHERE (@principal IS NULL OR principal = @principal) AND day IN (SELECT DISTINCT day FROM spending ORDER BY day DESC LIMIT @days)
  GROUP BY day, model ORDER BY day DESC, tokens DESC`;

const toDaySpending: (row: Row) => DaySpending = columns({
  day: 'text',
  model: 'text',
  tokens: 'integer',
  cost: 'integer',
});
