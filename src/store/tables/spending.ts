import { type SpendingDraft, type SpendingEntry, type Spent, spentOf } from '../../agent/spending-store.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';

/** What models took, as sums of a day: it grows with the days, not with the messages. Its methods belong inside a write. */
export class SpendingTable {
  readonly #add: Statement;
  readonly #ofDay: Statement;
  readonly #ofAccount: Statement;
  readonly #entries: Statement;

  constructor(database: Database) {
    this.#add = database.prepare(
      `INSERT INTO spending (day, principal, conversation_id, model, tokens, cost) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`,
    );
    const sums = 'SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost FROM spending';
    this.#ofDay = database.prepare(`${sums} WHERE day = ?`);
    this.#ofAccount = database.prepare(`${sums} WHERE day = ? AND principal = ?`);
    this.#entries = database.prepare('SELECT * FROM spending WHERE day = ?');
  }

  /** Where an answer took nothing, nothing is written. */
  add({ day, principal, conversationId, model, usage }: SpendingDraft): void {
    const { tokens, cost } = spentOf(usage);
    if (tokens > 0 || cost > 0) this.#add.run(day, principal, conversationId, model, tokens, cost);
  }

  ofDay(day: string): Spent {
    return toSpent(this.#ofDay.get(day));
  }

  ofPerson(day: string, accounts: readonly string[]): Spent {
    return accounts
      .map((principal) => toSpent(this.#ofAccount.get(day, principal)))
      .reduce((sum, { tokens, cost }) => ({ tokens: sum.tokens + tokens, cost: sum.cost + cost }));
  }

  entriesOf(day: string): readonly SpendingEntry[] {
    return this.#entries.all(day).map((found) => {
      const row = new Row(found);
      return {
        principal: row.text('principal'),
        conversationId: row.text('conversation_id'),
        model: row.text('model'),
        ...toSpent(found),
      };
    });
  }
}

function toSpent(found: unknown): Spent {
  const row = new Row(found);
  return { tokens: row.integer('tokens'), cost: row.integer('cost') };
}
