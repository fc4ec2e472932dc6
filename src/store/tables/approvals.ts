import type { Approval, ApprovalState, AskedCall, AskedQuestion } from '../../approval/approval.ts';
import type { Extension } from '../../approval/extension.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

const states = ['pending', 'approved', 'denied', 'answered', 'expired', 'cancelled'] as const;

/** Questions to people. A pending one is decided once. Its methods belong inside a write. */
export class ApprovalsTable {
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #pending: Statement;
  readonly #pendingHere: Statement;
  readonly #pendingOfCall: Statement;
  readonly #ofRun: Statement;
  readonly #unreminded: Statement;
  readonly #end: Statement;
  readonly #remind: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO approvals (id, call_id, conversation_id, requester, requester_name, tool_name, description, hash, grantable,
         state, places, created_at, expires_at, question, run_id, extension, runs_in, asked)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#find = database.prepare('SELECT * FROM approvals WHERE id = ?');
    this.#pending = database.prepare(`SELECT * FROM approvals WHERE state = 'pending' ORDER BY created_at, id`);
    this.#pendingHere = database.prepare(
      `SELECT * FROM approvals WHERE state = 'pending' AND conversation_id = ? ORDER BY created_at, id`,
    );
    this.#pendingOfCall = database.prepare(`SELECT * FROM approvals WHERE state = 'pending' AND call_id = ?`);
    this.#ofRun = database.prepare(
      `SELECT * FROM approvals WHERE conversation_id = ? AND run_id = ? AND state IN ('pending', 'approved')`,
    );
    this.#unreminded = database.prepare(`SELECT * FROM approvals WHERE state = 'pending' AND reminded_at IS NULL`);
    this.#end = database.prepare(
      `UPDATE approvals SET state = ?, decided_by = ?, decided_at = ? WHERE id = ? AND state = 'pending'`,
    );
    this.#remind = database.prepare(
      `UPDATE approvals SET reminded_at = ? WHERE id = ? AND state = 'pending' AND (reminded_at IS NULL OR reminded_at = ?)`,
    );
  }

  add(approval: Approval): void {
    const { id, conversationId, requester, requesterName, toolName, description, hash, grantable } = approval;
    const { question, extension, asked } = approval;
    const places = JSON.stringify(approval.places);
    this.#insert.run(
      id,
      approval.callId ?? null,
      conversationId,
      requester,
      requesterName,
      toolName,
      description,
      hash,
      grantable ? 1 : 0,
      places,
      approval.createdAt,
      approval.expiresAt,
      question === undefined ? null : JSON.stringify(question),
      extension?.runId ?? null,
      extension === undefined ? null : JSON.stringify(extension),
      approval.runsIn ?? null,
      asked === undefined ? null : JSON.stringify(asked),
    );
  }

  find(id: string): Approval | undefined {
    return toApprovals([this.#find.get(id)])[0];
  }

  pending(conversationId?: string): readonly Approval[] {
    return toApprovals(conversationId === undefined ? this.#pending.all() : this.#pendingHere.all(conversationId));
  }

  pendingOfCall(callId: string): Approval | undefined {
    return toApprovals([this.#pendingOfCall.get(callId)])[0];
  }

  /** What a run has asked for, to go on, that was not refused. */
  ofRun(conversationId: string, runId: string): readonly Approval[] {
    return toApprovals(this.#ofRun.all(conversationId, runId));
  }

  unreminded(): readonly Approval[] {
    return toApprovals(this.#unreminded.all());
  }

  /** True for the one that ended it. */
  end(id: string, state: Exclude<ApprovalState, 'pending'>, by: string, at: number): boolean {
    return this.#end.run(state, by, at, id).changes === 1;
  }

  /** True if nobody was reminded of it before this instant. */
  remind(id: string, at: number): boolean {
    return this.#remind.run(at, id, at).changes === 1;
  }
}

function toApprovals(found: readonly unknown[]): readonly Approval[] {
  return found.filter((values) => values !== undefined).map((values) => toApproval(new Row(values)));
}

function toApproval(row: Row): Approval {
  const [callId, runsIn] = [row.optionalText('call_id'), row.optionalText('runs_in')];
  return {
    id: row.text('id'),
    ...(callId === undefined ? {} : { callId }),
    conversationId: row.text('conversation_id'),
    ...(runsIn === undefined ? {} : { runsIn }),
    requester: row.text('requester'),
    requesterName: row.text('requester_name'),
    toolName: row.text('tool_name'),
    description: row.text('description'),
    hash: row.text('hash'),
    grantable: row.flag('grantable'),
    state: row.word('state', states),
    places: row.json('places'),
    createdAt: row.integer('created_at'),
    expiresAt: row.integer('expires_at'),
    ...(row.optionalText('asked') === undefined ? {} : { asked: row.json<AskedCall>('asked') }),
    ...(row.optionalText('question') === undefined ? {} : { question: row.json<AskedQuestion>('question') }),
    ...(row.optionalText('extension') === undefined ? {} : { extension: row.json<Extension>('extension') }),
  };
}
