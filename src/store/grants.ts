/* Saved permissions, which come with decisions. */

import type { Grant, RuleGrant } from '../approval/approval.ts';
import type { Origin } from '../engine/message.ts';
import * as audit from './audit.ts';
import {
  columns,
  type Eventual,
  insertInto,
  integer,
  json,
  oneOf,
  optional,
  type Row,
  type Sql,
  text,
  texts,
} from './sql.ts';

/** Stores a grant. */
export async function addGrant(sql: Sql, grant: Grant): Promise<void> {
  await insertGrant(sql, grant.kind === 'rule' ? { ...grant, kind: 'always', rule: ruleOf(grant) } : grant);
}

const insertGrant = insertInto(
  `grants (id, kind, conversation_id, requester, tool_name, description, hash, granted_by, created_at, expires_at, targets, rule)`,
);

/** In a column of its own: the column of kinds takes no others. */
function ruleOf({ tool, scope }: RuleGrant): Pick<RuleGrant, 'tool' | 'scope'> {
  return { tool, scope };
}

const standing = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)';
const grantsOf = `SELECT * FROM grants WHERE conversation_id = ? AND requester = ? AND ${standing}`;
const grantsIn = `SELECT * FROM grants WHERE conversation_id = ? AND ${standing} ORDER BY created_at, id`;

/** The valid grants of a requester there. */
export const grantsFor = (
  sql: Sql,
  conversationId: string,
  requester: string,
  now: number,
): Eventual<readonly Grant[]> => sql.list(toGrant, grantsOf, conversationId, requester, now);

/** All valid grants in the conversation. */
export const grantsHere = (sql: Sql, conversationId: string, now: number): Eventual<readonly Grant[]> =>
  sql.list(toGrant, grantsIn, conversationId, now);

/** A call runs because of it. */
export async function useGrant(sql: Sql, id: string): Promise<void> {
  await sql.run('UPDATE grants SET uses = uses + 1 WHERE id = ?', id);
}

/** Revokes those of these grants that are valid there. Returns their number. */
export async function revokeGrants(sql: Sql, ids: readonly string[], origin: Origin, at: number): Promise<number> {
  let count = 0;
  for (const grant of ids) {
    if (!(await sql.changed(revokeOne, at, grant, origin.conversationId))) continue;
    await audit.addBy(sql, 'grant-revoked', origin, at, { grant });
    count += 1;
  }
  return count;
}
const revokeOne = 'UPDATE grants SET revoked_at = ? WHERE id = ? AND conversation_id = ? AND revoked_at IS NULL';

const fieldsOfGrant = columns({
  id: 'text',
  conversationId: 'text',
  requester: 'text',
  toolName: 'text',
  description: 'text',
  grantedBy: 'text',
  createdAt: 'integer',
  uses: 'integer',
});
const ruleIn = optional(json<Pick<RuleGrant, 'tool' | 'scope'>>());
const grantKindIn = oneOf('window', 'always');
const targetsIn = optional(texts);

export function toGrant(row: Row): Grant {
  const rule = ruleIn(row, 'rule');
  if (rule !== undefined) return { ...fieldsOfGrant(row), kind: 'rule', ...rule };
  const kind = grantKindIn(row, 'kind');
  switch (kind) {
    case 'window':
      return { ...fieldsOfGrant(row), kind, targets: targetsIn(row, 'targets'), expiresAt: integer(row, 'expires_at') };
    case 'always':
      return { ...fieldsOfGrant(row), kind, hash: text(row, 'hash') };
  }
}
