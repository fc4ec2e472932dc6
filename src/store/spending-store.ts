import {
  type SpendingDraft,
  type SpendingEntry,
  type SpendingStore,
  type Spent,
  spentOf,
} from '../agent/spending-store.ts';
import type { Database } from './database.ts';
import { spendForRun } from './run-spending.ts';
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
      const { conversationId, runId, usage } = spending;
      const { spending: table, conversations } = this.#tables;
      const talkedIn = conversations.find(conversationId)?.subRun?.rootId ?? conversationId;
      table.add({ ...spending, conversationId: talkedIn });
      if (runId !== undefined) spendForRun(this.#tables, conversationId, runId, spentOf(usage));
    }, 'relaxed');
  }

  async spentOn(day: string, accounts: readonly string[]): Promise<{ readonly person: Spent; readonly all: Spent }> {
    const { spending } = this.#tables;
    return { person: spending.ofPerson(day, accounts), all: spending.ofDay(day) };
  }

  async entriesOf(day: string): Promise<readonly SpendingEntry[]> {
    return this.#tables.spending.entriesOf(day);
  }
}
