import type { OutboxDraft } from '../approval/approval.ts';
import type { TrustEntry, TrustReview, TrustStore } from '../conversation/trust-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** What owners trust, in SQLite. */
export class SqliteTrustStore implements TrustStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async review(review: TrustReview): Promise<'trusted' | 'asked'> {
    // At most starts, nothing has changed: then nothing is written.
    return this.#known(review) ?? this.#database.write(() => this.#known(review) ?? this.#note(review), 'relaxed');
  }

  async all(): Promise<readonly TrustEntry[]> {
    return this.#tables.trusted.all();
  }

  told(ids: readonly string[], notices: readonly OutboxDraft[], at: number): Promise<void> {
    return this.#database.write(() => {
      for (const notice of notices) this.#tables.outbox.add(notice, at);
      for (const id of ids) this.#tables.trusted.told(id);
    }, 'relaxed');
  }

  #known({ subject }: TrustReview): 'trusted' | 'asked' | undefined {
    const found = this.#tables.trusted.find(subject);
    if (found?.asked?.fingerprint === subject.fingerprint) return 'asked';
    return found?.trusted?.fingerprint === subject.fingerprint && found.asked === undefined ? 'trusted' : undefined;
  }

  #note({ subject, id, isAdopted, at }: TrustReview): 'trusted' | 'asked' {
    const { trusted: table } = this.#tables;
    const found = table.find(subject);
    if (found?.trusted?.fingerprint === subject.fingerprint) {
      // It is again what it was: what it was meanwhile is not asked for any more.
      table.unask(subject);
      return 'trusted';
    }
    if (found === undefined && isAdopted) {
      table.trust(subject, { id, by: null, at });
      return 'trusted';
    }
    table.ask(subject, id, at);
    return 'asked';
  }
}
