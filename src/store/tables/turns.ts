import type { ClosingDraft, TurnDraft } from '../../agent/run-store.ts';
import type { ClosingReason, TurnPart } from '../../transcript.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

export type TurnRow = {
  readonly id: number;
  readonly runId: string;
  readonly principal: string;
  readonly seenSeq: number;
} & (
  | { readonly type: 'turn'; readonly parts: readonly TurnPart[] }
  | { readonly type: 'closing'; readonly reason: ClosingReason }
);

/** What the model said, and how runs ended without it. Its methods belong inside a write. */
export class TurnsTable {
  readonly #insert: Statement;
  readonly #newest: Statement;
  readonly #newestId: Statement;
  readonly #countOfRun: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO turns (conversation_id, run_id, principal, kind, reason, seen_seq, parts, model, input_tokens, cached_tokens, output_tokens, cost, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#newest = database.prepare(
      `SELECT id, run_id, principal, kind, reason, seen_seq, parts FROM turns
       WHERE conversation_id = ? AND id > ? ORDER BY id DESC LIMIT ?`,
    );
    this.#newestId = database.prepare('SELECT coalesce(max(id), 0) AS id FROM turns WHERE conversation_id = ?');
    this.#countOfRun = database.prepare(
      `SELECT count(*) AS count FROM turns WHERE conversation_id = ? AND run_id = ? AND kind = 'turn'`,
    );
  }

  addTurn({ conversationId, runId, principal, seenSeq, parts, usage, model, at }: TurnDraft): number {
    const { inputTokens, cachedInputTokens = 0, outputTokens, cost = 0 } = usage;
    const run = [conversationId, runId, principal, 'turn', null, seenSeq, JSON.stringify(parts)] as const;
    const spent = [model, inputTokens, cachedInputTokens, outputTokens, cost] as const;
    return Number(this.#insert.run(...run, ...spent, at).lastInsertRowid);
  }

  addClosing({
    conversationId,
    runId,
    principal,
    seenSeq,
    reason,
    at,
  }: Omit<ClosingDraft, 'after' | 'messages'>): void {
    this.#insert.run(conversationId, runId, principal, 'closing', reason, seenSeq, '[]', null, 0, 0, 0, 0, at);
  }

  /** The newest beyond an id, the oldest of them first. */
  newest(conversationId: string, beyond: number, limit: number): readonly TurnRow[] {
    return this.#newest
      .all(conversationId, beyond, limit)
      .reverse()
      .map((found) => toTurn(new Row(found)));
  }

  newestId(conversationId: string): number {
    return new Row(this.#newestId.get(conversationId)).integer('id');
  }

  countOfRun(conversationId: string, runId: string): number {
    return new Row(this.#countOfRun.get(conversationId, runId)).integer('count');
  }
}

function toTurn(row: Row): TurnRow {
  const fields = {
    id: row.integer('id'),
    runId: row.text('run_id'),
    principal: row.text('principal'),
    seenSeq: row.integer('seen_seq'),
  };
  switch (row.word('kind', ['turn', 'closing'])) {
    case 'turn':
      return { ...fields, type: 'turn', parts: row.json('parts') };
    case 'closing':
      return {
        ...fields,
        type: 'closing',
        reason: row.word('reason', ['stopped', 'failed', 'expired', 'limit', 'stuck', 'budget', 'completed']),
      };
  }
}

/** Whether the model called tools in it. */
export function hasCalls(turn: TurnRow): boolean {
  return turn.type === 'turn' && turn.parts.some((part) => part.type === 'call');
}
