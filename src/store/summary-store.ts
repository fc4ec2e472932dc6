import type { SummaryDraft, SummaryStore } from '../agent/summary-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** Summaries in SQLite. */
export class SqliteSummaryStore implements SummaryStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  /** Relaxed: should a power failure take it, the next request has it written anew. */
  store(draft: SummaryDraft): Promise<'stored' | 'outdated'> {
    return this.#database.write(() => {
      const { summaries, outbox } = this.#tables;
      if (!summaries.put(summaries.add(draft), draft)) return 'outdated';
      if (draft.isWanted) summaries.wish(draft.conversationId, undefined);
      for (const message of draft.messages) outbox.add(message, draft.at);
      return 'stored';
    }, 'relaxed');
  }

  decline({ conversationId, messages, at }: Pick<SummaryDraft, 'conversationId' | 'messages' | 'at'>): Promise<void> {
    return this.#database.write(() => {
      const { summaries, outbox } = this.#tables;
      summaries.wish(conversationId, undefined);
      for (const message of messages) outbox.add(message, at);
    });
  }
}
