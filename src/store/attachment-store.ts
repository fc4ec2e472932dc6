import type { OutboxDraft } from '../approval/approval.ts';
import type {
  AttachmentOutcome,
  AttachmentStore,
  WaitingAttachment,
} from '../conversation/attachments/attachment-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** What has become of attachments, in SQLite. */
export class SqliteAttachmentStore implements AttachmentStore {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async waiting(seqs: readonly number[]): Promise<readonly WaitingAttachment[]> {
    return seqs.flatMap((seq) => this.#tables.attachments.pending(seq));
  }

  /** Relaxed: should a power failure take it, the file is fetched anew. */
  settle(outcomes: readonly AttachmentOutcome[], messages: readonly OutboxDraft[], at: number): Promise<void> {
    return this.#database.write(() => {
      const { attachments, outbox } = this.#tables;
      for (const outcome of outcomes) attachments.settle(outcome);
      for (const message of messages) outbox.add(message, at);
    }, 'relaxed');
  }
}
