import { dirname, join } from 'node:path';
import { createApprovalStore } from './approvals.ts';
import { createAttachmentStore } from './attachments.ts';
import { createEditStore } from './audit.ts';
import { createCardStore } from './card-places.ts';
import { createCommandStore } from './commands.ts';
import { createComposedToolStore } from './composed-tools.ts';
import { createAddressBook, createConversationStore } from './conversations.ts';
import type { Database } from './database.ts';
import { createDeviceStore, createSessionStore } from './devices.ts';
import { createFileLabelStore } from './file-labels.ts';
import { createDeviceFiles, createMessageFiles } from './files.ts';
import { createInboxStore } from './inbox.ts';
import { createAttemptStore, createSpendingStore } from './journal.ts';
import { createLanguageStore } from './languages.ts';
import { createLifetimeStore } from './lifetime.ts';
import { createMemoryStore } from './memories.ts';
import { openDatabase } from './open.ts';
import { createOutboxStore } from './outbox.ts';
import { createLinksStore, createPeopleStore } from './people.ts';
import { createSummaryStore } from './run-state.ts';
import { createRunStore } from './runs.ts';
import { createScheduleStore } from './schedules.ts';
import { createTimeZoneStore } from './time-zones.ts';
import { createTrustStore } from './trust.ts';
import { createWebhookStore } from './webhooks.ts';

export { asStoreError } from './open.ts';

/** All stores over one database file. */
export type Store = ReturnType<typeof storeOf>;

/** Throws `StoreError` if the file is unusable. */
export function openStore(file: string): Store {
  return storeOf(openDatabase(file), dirname(file));
}

/** The stores over an open database. */
export function storeOf(database: Database, folder: string) {
  return {
    addresses: createAddressBook(database),
    approvals: { ...createApprovalStore(database), ...createCardStore(database) },
    attachments: createAttachmentStore(database),
    attempts: createAttemptStore(database),
    composedTools: createComposedToolStore(database),
    devices: createDeviceStore(database),
    /** Files that devices sent or were shown, in the folder `device-files` beside the database. */
    deviceFiles: createDeviceFiles(database, join(folder, 'device-files')),
    /** Copies of outgoing files, in the folder `files` beside the database. */
    files: createMessageFiles(join(folder, 'files')),
    edits: createEditStore(database),
    fileLabels: createFileLabelStore(database),
    languages: createLanguageStore(database),
    inbox: { ...createInboxStore(database), ...createConversationStore(database), ...createCommandStore(database) },
    lifetime: createLifetimeStore(database),
    links: createLinksStore(database),
    memories: createMemoryStore(database),
    outbox: createOutboxStore(database),
    people: createPeopleStore(database),
    runs: createRunStore(database),
    schedules: createScheduleStore(database),
    sessions: createSessionStore(database),
    spending: createSpendingStore(database),
    summaries: createSummaryStore(database),
    timeZones: createTimeZoneStore(database),
    trust: createTrustStore(database),
    webhooks: createWebhookStore(database),
    state: database.state,
    isOpen: database.isOpen,
    /** The database file, if it is too large to have been checked at the start. */
    toBeRead: database.toBeRead,
    hurry: database.hurry,
    /** Commits pending writes, waits until they are on disk, and closes the file. */
    close: database.close,
  };
}
