import { type Eventual, type Row, Sql, type Value } from './sql.ts';
import type { SqliteSql } from './sqlite-sql.ts';

/** Begins to read at once, or behind the commit in progress. */
type Between = <Result>(read: () => Result) => Eventual<Result>;

/** The connection, for statements outside of steps: at once between two commits, else after the one in progress. */
export class SqliteOutside extends Sql {
  readonly told: Sql['told'];
  readonly kept: Sql['kept'];
  readonly approvals: Sql['approvals'];
  readonly audited: Sql['audited'];
  readonly #sql: SqliteSql;
  readonly #between: Between;

  constructor(sql: SqliteSql, between: Between) {
    super();
    this.#sql = sql;
    this.#between = between;
    this.told = sql.told;
    this.kept = sql.kept;
    this.approvals = sql.approvals;
    this.audited = sql.audited;
  }

  run(text: string, ...values: Value[]): Eventual<number> {
    return this.#between(() => this.#sql.run(text, ...values));
  }

  changed(text: string, ...values: Value[]): Eventual<boolean> {
    return this.#between(() => this.#sql.changed(text, ...values));
  }

  get(text: string, ...values: Value[]): Eventual<Row | undefined> {
    return this.#between(() => this.#sql.get(text, ...values));
  }

  find<Found>(read: (row: Row) => Found, text: string, ...values: Value[]): Eventual<Found | undefined> {
    return this.#between(() => this.#sql.find(read, text, ...values));
  }

  list<Found>(read: (row: Row) => Found, text: string, ...values: Value[]): Eventual<readonly Found[]> {
    return this.#between(() => this.#sql.list(read, text, ...values));
  }

  one(text: string, ...values: Value[]): Eventual<Row> {
    return this.#between(() => this.#sql.one(text, ...values));
  }

  has(text: string, ...values: Value[]): Eventual<boolean> {
    return this.#between(() => this.#sql.has(text, ...values));
  }

  number(text: string, ...values: Value[]): Eventual<number> {
    return this.#between(() => this.#sql.number(text, ...values));
  }

  texts(statement: string, ...values: Value[]): Eventual<readonly string[]> {
    return this.#between(() => this.#sql.texts(statement, ...values));
  }

  all(text: string, ...values: Value[]): Eventual<readonly Row[]> {
    return this.#between(() => this.#sql.all(text, ...values));
  }

  takeWhile(goesOn: (row: Row) => boolean, text: string, ...values: Value[]): Eventual<readonly Row[]> {
    return this.#between(() => this.#sql.takeWhile(goesOn, text, ...values));
  }
}
