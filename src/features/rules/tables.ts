/* What people have decided about calls, read by an index; and the decision that makes a rule of them. */

import type { RuledCall } from '../../approval/rules/rule.ts';
import type { Effect } from '../../conversation/effects.ts';
import type { Decision } from '../../engine/journal.ts';
import { settle } from '../../store/approvals.ts';
import type { Transactions } from '../../store/database.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import { columns, type Eventual, integer, json, type Row, type Sql, sqlIn } from '../../store/sql.ts';
import type { PastCase } from './history.ts';

/** Holds all that is read of a past request, so that its card is not. */
export const rulesTables: FeatureTables = {
  steps: [
    `CREATE INDEX rules_history ON approvals (conversation_id, requester, tool_name, state, decided_at, grantable, ruled)
       WHERE ruled IS NOT NULL;
     CREATE INDEX rules_revoked ON grants (conversation_id, requester, tool_name, revoked_at)
       WHERE rule IS NOT NULL AND revoked_at IS NOT NULL;`,
  ],
};

/** Whose calls of which tool. */
export interface CasesOf {
  readonly conversationId: string;
  readonly requester: string;
  readonly toolName: string;
}

/** What came of allowing a rule. */
export interface AllowedRule {
  /** It was the first decision about its card. */
  readonly isFirst: boolean;
  /** The rule is in force, by this decision or by an earlier one. */
  readonly isStanding: boolean;
}

export interface RuleStore {
  /**
   * The newest decided requests about such calls, at most 1,000 that were allowed and as many that were denied. What was
   * allowed before the last such rule was revoked does not count; what was denied counts for ever.
   */
  history(of: CasesOf): Promise<readonly PastCase[]>;
  /** Whether this rule, known by the id of its card, is in force. */
  isStanding(id: string): Promise<boolean>;
  /** Decides the card, and gives its grant. */
  allow(decisionOf: (doing: Pick<Decision, 'origin' | 'at'>) => Decision): Effect<AllowedRule>;
}

export function createRuleStore(database: Pick<Transactions, 'sql' | 'read'>): RuleStore {
  const { sql } = database;
  return {
    history: (of) => database.read(async (sql) => history(of, sql)),
    isStanding: async (id) => isStanding(id, sql),
    allow: (decisionOf) => ({
      name: 'rule',
      async apply(doing) {
        const { origin, at, conversationIds } = doing;
        const sql = sqlIn(doing);
        const decision = decisionOf({ origin, at });
        const { cardConversationIds, conversationId } = decision.approval;
        const isFirst = await settle(sql, decision);
        if (isFirst) conversationIds.push(...cardConversationIds, conversationId);
        return { isFirst, isStanding: await isStanding(decision.approval.id, sql) };
      },
    }),
  };
}

const isStanding = (id: string, sql: Sql): Eventual<boolean> =>
  sql.has('SELECT 1 FROM grants WHERE id = ? AND rule IS NOT NULL AND revoked_at IS NULL', id);

const mostRead = 1000;

const casesIn = `SELECT state, decided_at, grantable, ruled FROM approvals INDEXED BY rules_history
  WHERE conversation_id = ? AND requester = ? AND tool_name = ? AND state = ? AND decided_at > ? AND ruled IS NOT NULL
  ORDER BY decided_at DESC LIMIT ${mostRead}`;
const lastRevoked = `SELECT max(revoked_at) AS at FROM grants INDEXED BY rules_revoked
  WHERE conversation_id = ? AND requester = ? AND tool_name = ? AND rule IS NOT NULL AND revoked_at IS NOT NULL`;

async function history({ conversationId, requester, toolName }: CasesOf, sql: Sql): Promise<readonly PastCase[]> {
  const of = [conversationId, requester, toolName];
  const revoked = await sql.get(lastRevoked, ...of);
  const after = revoked?.at === null || revoked === undefined ? 0 : integer(revoked, 'at');
  return [
    ...(await sql.list(toCase, casesIn, ...of, 'approved', after)),
    ...(await sql.list(toCase, casesIn, ...of, 'denied', 0)),
  ];
}

const fieldsOfCase = columns({ state: 'text', decidedAt: 'integer', grantable: 'flag', ruled: json<RuledCall>() });

function toCase(row: Row): PastCase {
  const { state, decidedAt: at, grantable, ruled } = fieldsOfCase(row);
  return { ...ruled, wasAllowed: state === 'approved', grantable, at };
}
