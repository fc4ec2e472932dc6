import { dirname, join } from 'node:path';
import { SqliteAddressBook } from './address-book.ts';
import { SqliteApprovalStore } from './approval-store.ts';
import { SqliteAttachmentStore } from './attachment-store.ts';
import { SqliteComposedToolStore } from './composed-tool-store.ts';
import type { Database } from './database.ts';
import type { FolderOfDeviceFiles } from './device-files.ts';
import { SqliteDeviceStore } from './device-store.ts';
import { SqliteInboxStore } from './inbox-store.ts';
import { SqliteLifetimeStore } from './lifetime-store.ts';
import { SqliteLinksStore } from './links-store.ts';
import { SqliteMemoryStore } from './memory-store.ts';
import { FolderOfMessageFiles } from './message-files.ts';
import { asStoreError, openDatabase } from './open.ts';
import { SqliteOutboxStore } from './outbox-store.ts';
import { SqlitePeopleStore } from './people-store.ts';
import { SqliteRunStore } from './run-store.ts';
import { SqliteScheduleStore } from './schedule-store.ts';
import { SqliteSessionStore } from './session-store.ts';
import { SqliteSpendingStore } from './spending-store.ts';
import { SqliteSummaryStore } from './summary-store.ts';
import { Tables } from './tables/tables.ts';
import { SqliteTrustStore } from './trust-store.ts';

/** Everything that Keyturn remembers: the ports' implementations over one file. */
export interface Store {
  readonly addresses: SqliteAddressBook;
  readonly approvals: SqliteApprovalStore;
  readonly attachments: SqliteAttachmentStore;
  readonly composedTools: SqliteComposedToolStore;
  readonly devices: SqliteDeviceStore;
  /** What devices have sent and were shown, in the folder `device-files` beside the database. Loaded when it is asked for. */
  readonly deviceFiles: () => Promise<FolderOfDeviceFiles>;
  /** Copies of what is to be sent, in the folder `files` beside the database. */
  readonly files: FolderOfMessageFiles;
  readonly inbox: SqliteInboxStore;
  readonly lifetime: SqliteLifetimeStore;
  readonly links: SqliteLinksStore;
  readonly memories: SqliteMemoryStore;
  readonly outbox: SqliteOutboxStore;
  readonly people: SqlitePeopleStore;
  readonly runs: SqliteRunStore;
  readonly schedules: SqliteScheduleStore;
  readonly sessions: SqliteSessionStore;
  readonly spending: SqliteSpendingStore;
  readonly summaries: SqliteSummaryStore;
  readonly trust: SqliteTrustStore;
  /** Writes what is left, and closes the file. */
  close(): void;
}

/** Opens the database file. Throws `StoreError` if it can't be used. */
export function openStore(file: string): Store {
  const database = openDatabase(file);
  try {
    return storeOf(database, dirname(file));
  } catch (error) {
    database.close();
    throw asStoreError(error, file);
  }
}

function storeOf(database: Database, folder: string): Store {
  const tables = new Tables(database);
  return {
    addresses: new SqliteAddressBook(database),
    approvals: new SqliteApprovalStore(database, tables),
    attachments: new SqliteAttachmentStore(database, tables),
    composedTools: new SqliteComposedToolStore(database),
    devices: new SqliteDeviceStore(database, tables),
    deviceFiles: async () => {
      const { FolderOfDeviceFiles } = await import('./device-files.ts');
      return new FolderOfDeviceFiles(database, join(folder, 'device-files'));
    },
    files: new FolderOfMessageFiles(join(folder, 'files')),
    inbox: new SqliteInboxStore(database, tables),
    lifetime: new SqliteLifetimeStore(database, tables),
    links: new SqliteLinksStore(tables),
    memories: new SqliteMemoryStore(database),
    outbox: new SqliteOutboxStore(database, tables),
    people: new SqlitePeopleStore(database, tables),
    runs: new SqliteRunStore(database, tables),
    schedules: new SqliteScheduleStore(database, tables),
    sessions: new SqliteSessionStore(database, tables),
    spending: new SqliteSpendingStore(database, tables),
    summaries: new SqliteSummaryStore(database, tables),
    trust: new SqliteTrustStore(database, tables),
    close: () => database.close(),
  };
}
