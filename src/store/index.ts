import { dirname, join } from 'node:path';
import { createApprovalStore } from './approvals.ts';
import { createAttachmentStore } from './attachments.ts';
import { createCardStore } from './card-places.ts';
import { createCommandEffects, createCommandStore } from './commands.ts';
import { createAddressBook, createConversationStore } from './conversations.ts';
import type { Database } from './database.ts';
import { createFileLabelStore } from './file-labels.ts';
import { createMessageFiles } from './files.ts';
import { createInboxStore } from './inbox.ts';
import { createAttemptStore, createSpendingStore } from './journal.ts';
import { createLanguageStore } from './languages.ts';
import { createLifetimeStore } from './lifetime.ts';
import type { TableOwner } from './migrate.ts';
import { openDatabase } from './open.ts';
import { createOutboxStore } from './outbox.ts';
import { createLinksStore, createPeopleStore } from './people.ts';
import { createSummaryStore } from './run-state.ts';
import { createRunStore } from './runs.ts';
import { createTimeZoneStore } from './time-zones.ts';

/** All stores over one database file. */
export type Store = ReturnType<typeof storeOf>;

/** With the tables of these features. Throws `StoreError` if the file is unusable. */
export function openStore(file: string, features: readonly TableOwner[] = []): Store {
  return storeOf(openDatabase(file, features), dirname(file));
}

/** The stores over an open database. */
export function storeOf(database: Database, folder: string) {
  return {
    addresses: createAddressBook(database),
    approvals: { ...createApprovalStore(database), ...createCardStore(database) },
    attachments: createAttachmentStore(database),
    attempts: createAttemptStore(database),
    /** Copies of outgoing files, in the folder `files` beside the database. */
    files: createMessageFiles(join(folder, 'files')),
    /** What the core's commands change. */
    effects: createCommandEffects(database),
    fileLabels: createFileLabelStore(database),
    languages: createLanguageStore(database),
    inbox: { ...createInboxStore(database), ...createConversationStore(database), ...createCommandStore(database) },
    lifetime: createLifetimeStore(database),
    links: createLinksStore(database),
    outbox: createOutboxStore(database),
    people: createPeopleStore(database),
    runs: createRunStore(database),
    spending: createSpendingStore(database),
    summaries: createSummaryStore(database),
    timeZones: createTimeZoneStore(database),
    state: database.state,
    isOpen: database.isOpen,
    /** The database file, if it is too large to have been checked at the start. */
    toBeRead: database.toBeRead,
    hurry: database.hurry,
    /** Commits pending writes, waits until they are on disk, and closes the file. */
    close: database.close,
  };
}
