import type { Step } from './database.ts';
import { isLate } from './end-process.ts';
import type { Eventual } from './sql.ts';
import type { SqliteSql } from './sqlite-sql.ts';

/** Reads of one connection: those that are in progress at the same time share a transaction, and so see the same commit. */
export class SharedReads {
  readonly #sql: SqliteSql;
  #count = 0;
  #over: PromiseWithResolvers<void> | undefined;
  #watch: NodeJS.Immediate | undefined;

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
      this.#watch = setImmediate(isLate);
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
    clearImmediate(this.#watch);
    try {
      this.#sql.endReading();
    } finally {
      over?.resolve();
    }
  }
}

/** Reads that begin once a commit is over. */
export class WaitingReads {
  #waiting: (() => void)[] = [];

  wait<Result>(read: () => Eventual<Result>): Promise<Result> {
    return new Promise<Result>((resolve) => {
      this.#waiting.push(() => resolve((async () => read())()));
    });
  }

  begin(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const begin of waiting) begin();
  }
}
