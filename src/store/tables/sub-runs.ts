import type { SubRunDraft } from '../../agent/run-store.ts';
import type { Spent } from '../../agent/spending-store.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** The conversations that runs have begun. Its methods belong inside a write. */
export class SubRunsTable {
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #running: Statement;
  readonly #inherit: Statement;
  readonly #taint: Statement;
  readonly #spend: Statement;

  constructor(database: Database) {
    this.#begin = database.prepare(
      `INSERT INTO conversations (id, channel, tenant, chat_id, thread_id, kind, title, seen_at, is_open, model, sub_run, root_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    );
    this.#end = database.prepare('UPDATE conversations SET is_open = 0 WHERE id = ? AND sub_run IS NOT NULL');
    this.#running = database.prepare(
      'SELECT id FROM conversations WHERE root_id = ? AND root_id IS NOT NULL AND is_open = 1 ORDER BY id',
    );
    this.#inherit = database.prepare(
      `UPDATE conversations SET (tainted, private) =
         (SELECT max(conversations.tainted, other.tainted), max(conversations.private, other.private)
          FROM conversations AS other WHERE other.id = ?)
       WHERE id = ?`,
    );
    this.#spend = database.prepare(
      `UPDATE conversations SET spent_tokens = spent_tokens + @tokens, spent_cost = spent_cost + @cost
       WHERE id = @id AND spent_run IS @run`,
    );
    this.#taint = database.prepare('UPDATE conversations SET taint_sources = ? WHERE id = ?');
  }

  /** False if it was there before. */
  begin({ conversationId, conversation, subRun, model }: SubRunDraft): boolean {
    const { channel, tenant, chatId, threadId, kind, title } = conversation;
    const place = [channel, tenant ?? null, chatId, threadId ?? null, kind, title ?? null];
    const more = [model ?? null, JSON.stringify(subRun), subRun.rootId];
    return this.#begin.run(conversationId, ...place, ...more).changes === 1;
  }

  /** Nothing is left to do in it. */
  end(id: string): void {
    this.#end.run(id);
  }

  /** Those that work for the root now. */
  running(rootId: string): readonly string[] {
    return this.#running.all(rootId).map((found) => new Row(found).text('id'));
  }

  /** Adds to what a run has taken that waits for one; nothing if another run has begun there since. */
  spendAbove(parentId: string, run: string, { tokens, cost }: Spent): void {
    this.#spend.run({ id: parentId, run, tokens, cost });
  }

  /** What one conversation has read, the other has read as well. */
  inheritLabels(from: string, to: string, sources: readonly string[]): void {
    this.#inherit.run(from, to);
    this.#taint.run(JSON.stringify(sources), to);
  }
}
