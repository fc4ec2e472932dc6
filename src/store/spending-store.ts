import {
  type SpendingDraft,
  type SpendingEntry,
  type SpendingStore,
  type Spent,
  spentOf,
} from '../agent/spending-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** What models took, in SQLite. */
export class SqliteSpendingStore implements SpendingStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  /** Relaxed, as what the turns took: a power failure may take the last of it. */
  add(spending: SpendingDraft): Promise<void> {
    return this.#database.write(() => {
      this.#tables.spending.add(spending);
      this.#tables.conversations.spend(spending.conversationId, spending.runId, spentOf(spending.usage));
    }, 'relaxed');
  }

  async spentOn(day: string, principal: string): Promise<{ readonly person: Spent; readonly all: Spent }> {
    const { spending } = this.#tables;
    return { person: spending.ofPerson(day, principal), all: spending.ofDay(day) };
  }

  async entriesOf(day: string): Promise<readonly SpendingEntry[]> {
    return this.#tables.spending.entriesOf(day);
  }
}
