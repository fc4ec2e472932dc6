import type { Step } from './database.ts';
import type { SqliteSql } from './sqlite-sql.ts';

/** Reads of one connection: those that are in progress at the same time share a transaction, and so see the same commit. */
export class SharedReads {
  readonly #sql: SqliteSql;
  #count = 0;
  #over: PromiseWithResolvers<void> | undefined;

  constructor(sql: SqliteSql) {
    this.#sql = sql;
  }

  /** Ends with the transaction; undefined: there is none. */
  inProgress(): Promise<void> | undefined {
    return this.#over?.promise;
  }

  /** Call it while no step writes. */
  async read<Result>(step: Step<Result>): Promise<Result> {
    if (this.#over === undefined) {
      this.#sql.beginReading();
      this.#over = Promise.withResolvers();
    }
    this.#count += 1;
    try {
      return await step(this.#sql);
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#end();
    }
  }

  #end(): void {
    const over = this.#over;
    this.#over = undefined;
    try {
      this.#sql.endReading();
    } finally {
      over?.resolve();
    }
  }
}
