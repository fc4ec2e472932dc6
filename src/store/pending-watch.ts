/** Few messages come while an approval is pending: of all others, nobody has to look for one. */

/** The connection that it watches. */
interface Watched {
  run(statement: string): unknown;
  has(statement: string): boolean;
  /** A function that statements may call. */
  define(name: string, work: () => null): void;
  /** Within a write: what is read then may be rolled back. */
  readonly isWriting: boolean;
}

/**
 * Whether any approval is pending. Triggers of the connection tell of each change to approvals, whichever statement makes it.
 * Another program adds none while this one runs; were it to, it would be seen after the next change.
 */
export class PendingWatch {
  readonly #sql: Watched;
  #isWatching = false;
  /** As it was read since the last change. */
  #isAny: boolean | undefined;

  constructor(sql: Watched) {
    this.#sql = sql;
  }

  isAny(): boolean {
    if (this.#sql.isWriting) return this.#read();
    if (!this.#isWatching) this.#begin();
    this.#isAny ??= this.#read();
    return this.#isAny;
  }

  #read(): boolean {
    return this.#sql.has(`SELECT 1 FROM approvals WHERE state = 'pending' LIMIT 1`);
  }

  #begin(): void {
    this.#sql.define('approvals_changed', () => {
      this.#isAny = undefined;
      return null;
    });
    for (const trigger of triggers) this.#sql.run(trigger);
    this.#isWatching = true;
  }
}

const triggers: readonly string[] = ['INSERT', 'UPDATE', 'DELETE'].map(
  (change) =>
    `CREATE TEMP TRIGGER pending_${change} AFTER ${change} ON approvals BEGIN SELECT approvals_changed(); END`,
);
