import type { Places } from '../conversation/access/readers.ts';
import type { Sql } from './sql.ts';
import type { StorageState } from './storage-state.ts';

/**
 * `full`: on disk before it resolves, so it survives a power failure. `relaxed`: survives the death of the process, and
 * a power failure once any later full commit is done.
 */
export type Durability = 'full' | 'relaxed';

/** What is done in one transaction. It waits for nothing but the statements of its `sql`: it holds up all others. */
export type Step<Result> = (sql: Sql) => Result | Promise<Result>;

/** Statements, and the transactions that they run in: what tables are made from. */
export interface Transactions {
  /**
   * Reads outside of a transaction, each by itself: it sees what is committed, and nothing of a write that is asked for behind it: see
   * `TakeAway`.
   */
  readonly sql: Sql;
  /** Reads in one transaction: all of it as of one commit, and of none that is asked for behind it. Nothing may be changed. */
  read<Result>(step: Step<Result>): Promise<Result>;
  /**
   * Runs `step` in a transaction. Steps run in call order, one after the other. `visible` is called with the result after the
   * commit, before a full commit is on disk: use it for work that may start now but must not be announced yet. If it throws,
   * this write rejects although it is committed.
   */
  write<Result>(step: Step<Result>, durability?: Durability, visible?: (result: Result) => void): Promise<Result>;
  /**
   * A relaxed write that begins now, with all earlier ones, or at the end of what holds commits up: another step, a checkpoint,
   * another program's lock. For intentions that must be recorded before acting but need not wait for the disk.
   */
  writeNow<Result>(step: Step<Result>): Promise<Result>;
  /**
   * A write of something that its sender still has, and delivers again: it rejects if another program has locked the
   * database for more than a second. All other writes wait until that is over.
   */
  writeIncoming<Result>(
    step: Step<Result>,
    durability?: Durability,
    visible?: (result: Result) => void,
  ): Promise<Result>;
}

/** Where all is stored. */
export interface Database extends Transactions {
  readonly state: StorageState;
  /** Where conversations are: for words alone. */
  readonly places: Places;
  isOpen(): boolean;
  /** The file, if it has not been checked for damage yet. */
  readonly toBeRead: string | undefined;
  /**
   * Checks that the files are in place, and that the log is intact, at once or behind the step in progress. If not, stops storing and
   * saves the current content beside them.
   */
  look(): Promise<void>;
  /** The process ends: no write waits for another program's lock for more than a second any longer. */
  hurry(): void;
  /** Commits pending writes, waits until they are on disk, and closes. Idempotent. */
  close(): Promise<void>;
}
