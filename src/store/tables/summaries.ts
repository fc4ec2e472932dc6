import type { Summary } from '../../agent/summary.ts';
import type { SummaryDraft } from '../../agent/summary-store.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** What stands for the oldest parts of conversations. Its methods belong inside a write. */
export class SummariesTable {
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #put: Statement;
  readonly #wish: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO summaries (conversation_id, text, up_to_turn, up_to_seq, created_at)
       VALUES (?, ?, ?, ?, ?)`,
    );
    this.#find = database.prepare('SELECT * FROM summaries WHERE id = ?');
    this.#put = database.prepare(
      'UPDATE conversations SET summary_id = ? WHERE id = ? AND summary_id IS ? AND since_turn < ?',
    );
    this.#wish = database.prepare('UPDATE conversations SET summary_for = ? WHERE id = ? AND summary_for IS NOT ?');
  }

  /** Remembers it, before anything is read in its place. */
  add({ conversationId, text, upToTurn, upToSeq, at }: SummaryDraft): number {
    const { lastInsertRowid } = this.#insert.run(conversationId, text, upToTurn, upToSeq, at);
    return Number(lastInsertRowid);
  }

  /** Puts a summary in the place of the one that it goes on from. False if another one stands there, or what it is of is gone. */
  put(id: number, { conversationId, after, upToTurn }: SummaryDraft): boolean {
    return this.#put.run(id, conversationId, after ?? null, upToTurn).changes === 1;
  }

  /** Who waits for a summary of the conversation from now on; nobody, if none is named. */
  wish(conversationId: string, principal: string | undefined): void {
    const wish = principal ?? null;
    this.#wish.run(wish, conversationId, wish);
  }

  find(id: number): Omit<Summary, 'waiting'> | undefined {
    const found = this.#find.get(id);
    if (found === undefined) return undefined;
    const row = new Row(found);
    return { id, text: row.text('text'), upToTurn: row.integer('up_to_turn'), upToSeq: row.integer('up_to_seq') };
  }
}
