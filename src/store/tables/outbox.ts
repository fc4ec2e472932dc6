import type { OutboxDraft } from '../../approval/approval.ts';
import { laneOf, type StreamKind } from '../../conversation/outbox.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** What a message in the outbox belongs to, so that it can be changed with it. */
export interface OutboxTies {
  readonly callId?: string;
  readonly approvalId?: string;
  /** It is sent once at most. */
  readonly isAtMostOnce?: boolean;
}

/** Messages for people. Its methods belong inside a write. */
export class OutboxTable {
  readonly #insert: Statement;
  readonly #openStream: Statement;
  readonly #standingCards: Statement;
  readonly #changeCards: Statement;
  readonly #addCardNote: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO outbox (id, lane, conversation_id, kind, markdown, buttons, files, reply_to, private_to, call_id, approval_id, at_most_once, state, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?)
       ON CONFLICT (id) DO UPDATE SET markdown = excluded.markdown, files = excluded.files, reply_to = excluded.reply_to,
         created_at = excluded.created_at, state = 'queued' WHERE state = 'streaming'`,
    );
    this.#openStream = database.prepare(
      `INSERT INTO outbox (id, lane, conversation_id, kind, markdown, state, created_at) VALUES (?, ?, ?, ?, '', 'streaming', ?)`,
    );
    this.#standingCards = database.prepare(
      `SELECT count(*) AS count FROM outbox WHERE approval_id = ? AND buttons IS NOT NULL AND state IN ('queued', 'delivered')`,
    );
    this.#changeCards = database.prepare(
      `UPDATE outbox SET markdown = ?, buttons = NULL, revision = revision + 1, state = 'queued' WHERE approval_id = ? AND kind = 'card'`,
    );
    this.#addCardNote = database.prepare(
      `UPDATE outbox SET markdown = markdown || char(10) || char(10) || ?, revision = revision + 1, state = 'queued'
       WHERE call_id = ? AND kind = 'card' AND buttons IS NULL
         AND approval_id = (SELECT id FROM approvals WHERE call_id = outbox.call_id ORDER BY created_at DESC LIMIT 1)
       RETURNING conversation_id`,
    );
  }

  /** Queues the message; where a stream was opened for its id, it becomes that message. */
  add({ conversationId, message }: OutboxDraft, at: number, ties: OutboxTies = {}): void {
    const { id, kind, markdown, buttons, files, replyTo, privateTo } = message;
    this.#insert.run(
      id,
      laneOf(conversationId),
      conversationId,
      kind,
      markdown,
      buttons === undefined ? null : JSON.stringify(buttons),
      files === undefined ? null : JSON.stringify(files),
      replyTo ?? null,
      privateTo ?? null,
      ties.callId ?? null,
      ties.approvalId ?? null,
      ties.isAtMostOnce === true ? 'unsent' : null,
      at,
    );
  }

  /** How many cards with buttons the approval has that were not refused. */
  standingCards(approvalId: string): number {
    return new Row(this.#standingCards.get(approvalId)).integer('count');
  }

  openStream(conversationId: string, id: string, kind: StreamKind, at: number): void {
    this.#openStream.run(id, laneOf(conversationId), conversationId, kind, at);
  }

  /** All cards of the approval show this from now on, without buttons. */
  changeCards(approvalId: string, markdown: string): void {
    this.#changeCards.run(markdown, approvalId);
  }

  /** Adds a line to the decided cards of a call; tells in which conversations they stand. */
  addCardNote(callId: string, note: string): readonly string[] {
    return this.#addCardNote.all(note, callId).map((found) => new Row(found).text('conversation_id'));
  }
}
