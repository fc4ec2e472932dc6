import { SqliteApprovalStore } from './approval-store.ts';
import type { Database } from './database.ts';
import { SqliteInboxStore } from './inbox-store.ts';
import { asStoreError, openDatabase } from './open.ts';
import { SqliteOutboxStore } from './outbox-store.ts';
import { SqliteRunStore } from './run-store.ts';
import { Tables } from './tables/tables.ts';

/** Everything that Keyturn remembers: the ports' implementations over one file. */
export interface Store {
  readonly approvals: SqliteApprovalStore;
  readonly inbox: SqliteInboxStore;
  readonly outbox: SqliteOutboxStore;
  readonly runs: SqliteRunStore;
  /** Writes what is left, and closes the file. */
  close(): void;
}

/** Opens the database file. Throws `StoreError` if it can't be used. */
export function openStore(file: string): Store {
  const database = openDatabase(file);
  try {
    return storeOf(database);
  } catch (error) {
    database.close();
    throw asStoreError(error, file);
  }
}

function storeOf(database: Database): Store {
  const tables = new Tables(database);
  return {
    approvals: new SqliteApprovalStore(database, tables),
    inbox: new SqliteInboxStore(database, tables),
    outbox: new SqliteOutboxStore(database, tables),
    runs: new SqliteRunStore(database, tables),
    close: () => database.close(),
  };
}
