import type { Transactions } from '../../store/database.ts';

/** What waits in the database, of all conversations. */
export interface Waiting {
  /** Conversations in which something is left to do. */
  readonly conversations: number;
  /** Approvals and questions that a person has not decided. */
  readonly approvals: number;
  /** Messages to people that have not gone out. */
  readonly unsent: number;
  /** Those that the platform refused, and that are kept. */
  readonly held: number;
}

/** Each is counted in an index that holds only what waits. Rejects if the database cannot be read. */
export function waitingIn({ read }: Pick<Transactions, 'read'>): Promise<Waiting> {
  return read(async (sql) => ({
    conversations: await sql.number('SELECT count(*) FROM conversations WHERE is_open = 1'),
    approvals: await sql.number(`SELECT count(*) FROM approvals WHERE state = 'pending'`),
    unsent: await sql.number(unsent),
    held: await sql.number('SELECT count(*) FROM outbox WHERE parked_at IS NOT NULL'),
  }));
}

/** SQLite takes the partial index of what is to be delivered only where its own condition, the first, stands as it is. */
const unsent = `SELECT count(*) FROM outbox WHERE state IN ('streaming', 'queued') AND state = 'queued'`;
