/* What runs used and took, and how they went, counted a window of turns at a time. */

import type { Transactions } from '../../../../store/database.ts';
import { columns, type Row, type Sql } from '../../../../store/sql.ts';
import { type Seer, seenBy } from '../seer.ts';

/** So many turns before this one, and of these, what was since an instant. */
export interface WantedWindow {
  readonly before: number;
  readonly size: number;
  readonly since: number;
}

/** What was counted in a window: all as of one moment. */
export interface CountedWindow {
  /** Its oldest turn, and when that was. */
  readonly oldest: number;
  readonly at: number;
  readonly runs: readonly EndedRun[];
  readonly tools: readonly ToolCount[];
  readonly approvals: readonly StateCount[];
}

/** A run that people began, and that has ended. */
export interface EndedRun {
  readonly at: number;
  /** When what began it came in, if that is known. */
  readonly receivedAt: number | undefined;
  readonly isOpen: boolean;
}

export interface ToolCount {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  readonly refused: number;
  readonly expired: number;
  readonly byGrant: number;
}

export interface StateCount {
  readonly state: string;
  readonly count: number;
}

export interface Spent {
  readonly day: string;
  readonly model: string;
  readonly tokens: number;
  readonly cost: number;
}

/** Reads only. */
export interface FigureStore {
  /** Undefined: there are no turns before. */
  counted(window: WantedWindow, seer: Seer): Promise<CountedWindow | undefined>;
  /** By day and model, the earliest day first. `since`: a day as it is charged. */
  spent(since: string, seer: Seer): Promise<readonly Spent[]>;
}

export function createFigureStore(database: Pick<Transactions, 'sql' | 'read'>): FigureStore {
  const { sql } = database;
  return {
    counted: (window, seer) => database.read((sql) => countedIn(sql, window, seer)),
    spent: async (since, seer) => sql.list(toSpent, spentSince, { since, ...seenBy(seer) }),
  };
}

const oldestOfWindow = `SELECT id, created_at AS at FROM turns
  WHERE id = (SELECT min(id) FROM (SELECT id FROM turns WHERE id < @before ORDER BY id DESC LIMIT @window))`;
const toTurn = columns({ id: 'integer', at: 'integer' });

const ofWindow = `looked.id < @before AND looked.id >= @oldest AND looked.created_at >= @since
  AND (@isOwner = 1 OR looked.principal IN (SELECT value FROM json_each(@accounts))
    OR coalesce((SELECT root_id FROM conversations WHERE conversations.id = looked.conversation_id), looked.conversation_id) IN (SELECT value FROM json_each(@sessions)))`;

const runsOfWindow = `SELECT looked.created_at AS at,
    (SELECT received_at FROM inbox WHERE seq = CAST(substr(looked.run_id, 4) AS INTEGER)) AS received_at,
    coalesce(conversations.is_open, 0) = 1
      AND looked.id = (SELECT max(id) FROM turns AS other WHERE other.conversation_id = looked.conversation_id) AS is_open
  FROM turns AS looked LEFT JOIN conversations ON conversations.id = looked.conversation_id
  WHERE ${ofWindow} AND conversations.sub_run IS NULL AND NOT EXISTS (SELECT 1 FROM turns AS later
    WHERE later.conversation_id = looked.conversation_id AND later.run_id = looked.run_id AND later.id > looked.id)`;
const toRun: (row: Row) => EndedRun = columns({ at: 'integer', receivedAt: 'integer?', isOpen: 'flag' });

const callsOfWindow = `FROM turns AS looked JOIN calls ON calls.conversation_id = looked.conversation_id AND calls.turn_id = looked.id`;

const toolsOfWindow = `SELECT calls.name AS tool, count(*) AS calls, total(calls.outcome = 'error') AS failed,
    total(calls.outcome = 'denied') AS denied, total(calls.outcome = 'refused') AS refused, total(calls.outcome = 'expired') AS expired,
    total(calls.approval_id IS NULL AND 'grant' = (SELECT detail ->> '$.why' FROM audit
      WHERE audit.call_id = calls.id AND kind IN ('call-proposed', 'approval-decided') AND kind = 'call-proposed')) AS by_grant
  ${callsOfWindow} WHERE ${ofWindow} GROUP BY calls.name`;
const toTool: (row: Row) => ToolCount = columns({
  tool: 'text',
  calls: 'integer',
  failed: 'integer',
  denied: 'integer',
  refused: 'integer',
  expired: 'integer',
  byGrant: 'integer',
});

const approvalsOfWindow = `SELECT approvals.state, count(DISTINCT approvals.id) AS count
  ${callsOfWindow} JOIN approvals ON approvals.id = calls.approval_id
  WHERE ${ofWindow} AND approvals.question IS NULL GROUP BY approvals.state`;
const toState: (row: Row) => StateCount = columns({ state: 'text', count: 'integer' });

async function countedIn(
  sql: Sql,
  { before, size, since }: WantedWindow,
  seer: Seer,
): Promise<CountedWindow | undefined> {
  const turn = await sql.find(toTurn, oldestOfWindow, { before, window: size });
  if (turn === undefined) return undefined;
  const asked = { before, oldest: turn.id, since, ...seenBy(seer) };
  return {
    oldest: turn.id,
    at: turn.at,
    runs: await sql.list(toRun, runsOfWindow, asked),
    tools: await sql.list(toTool, toolsOfWindow, asked),
    approvals: await sql.list(toState, approvalsOfWindow, asked),
  };
}

const spentSince = `SELECT day, model, sum(tokens) AS tokens, sum(cost) AS cost FROM spending
  WHERE day >= @since AND (@isOwner = 1 OR principal IN (SELECT value FROM json_each(@accounts))
    OR conversation_id IN (SELECT value FROM json_each(@sessions)))
  GROUP BY day, model ORDER BY day, tokens DESC`;
const toSpent: (row: Row) => Spent = columns({ day: 'text', model: 'text', tokens: 'integer', cost: 'integer' });
