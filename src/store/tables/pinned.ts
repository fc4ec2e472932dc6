import type { PinnedFact } from '../../agent/pinned-facts.ts';
import type { Database, Statement } from '../database.ts';

/** Facts that are kept in mind: they stand in the row of their conversation. Its methods belong inside a write. */
export class PinnedTable {
  readonly #set: Statement;

  constructor(database: Database) {
    this.#set = database.prepare('UPDATE conversations SET pinned = ? WHERE id = ?');
  }

  /** What is pinned there from now on. */
  set(conversationId: string, facts: readonly PinnedFact[]): void {
    this.#set.run(JSON.stringify(facts), conversationId);
  }
}
