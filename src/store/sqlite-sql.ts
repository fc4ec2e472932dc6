import Sqlite from 'better-sqlite3';
import { KeptTranscripts } from './kept-transcripts.ts';
import { PendingWatch } from './pending-watch.ts';
import { type Row, Sql, textsIn, type Value, valueIn } from './sql.ts';
import { Told } from './told.ts';

/**
 * The statements of one SQLite database, run at once. Each is prepared on first use, because a start needs one in ten and preparing all
 * takes 30 ms. The cache is keyed by text, so make interpolated texts module constants: a text built per call would be
 * hashed each time.
 */
export class SqliteSql extends Sql {
  /** What transactions tell of once they are committed. */
  readonly told = new Told();
  /** What was read of live conversations, as long as it holds. */
  readonly kept = new KeptTranscripts(this);
  readonly approvals = new PendingWatch(this);
  /** The row of the audit that was added last, if it was not rolled back. */
  readonly audited: { newest?: { readonly seq: number; readonly hash: string } } = {};
  readonly #sqlite: Sqlite.Database;
  /** With the first statement of a read, its transaction begins. */
  #reading: 'asked' | 'begun' | undefined;
  readonly #damaged: (damage: string) => void;
  readonly #prepared = new Map<string, Sqlite.Statement<unknown[], Row>>();

  /** `damaged` is called if a statement finds the file damaged. The statement throws anyway. */
  constructor(sqlite: Sqlite.Database, damaged: (damage: string) => void = () => {}) {
    super();
    this.#sqlite = sqlite;
    this.#damaged = damaged;
  }

  /** Returns the number of changed rows. */
  run(text: string, ...values: Value[]): number {
    return this.#with(text, (statement) => statement.run(...bound(values)).changes);
  }

  /** Whether a row changed: for compare-and-set. */
  changed(text: string, ...values: Value[]): boolean {
    return this.run(text, ...values) > 0;
  }

  /** The first row; undefined if none. */
  get(text: string, ...values: Value[]): Row | undefined {
    return this.#with(text, (statement) => statement.get(...bound(values)));
  }

  /** The first row, parsed by `read`. */
  find<Found>(read: (row: Row) => Found, text: string, ...values: Value[]): Found | undefined {
    const row = this.get(text, ...values);
    return row && read(row);
  }

  /** All rows, parsed by `read`. */
  list<Found>(read: (row: Row) => Found, text: string, ...values: Value[]): readonly Found[] {
    return this.all(text, ...values).map(read);
  }

  /** For statements that always return a row: counts, sums, RETURNING. */
  one(text: string, ...values: Value[]): Row {
    const row = this.get(text, ...values);
    if (row === undefined) throw new TypeError('the database gave no row');
    return row;
  }

  /** Whether there is a row. */
  has(text: string, ...values: Value[]): boolean {
    return this.get(text, ...values) !== undefined;
  }

  /** The only column of the only row. */
  number(text: string, ...values: Value[]): number {
    return valueIn(this.one(text, ...values));
  }

  /** The only column of all rows. */
  texts(statement: string, ...values: Value[]): readonly string[] {
    return textsIn(this.all(statement, ...values));
  }

  all(text: string, ...values: Value[]): readonly Row[] {
    return this.#with(text, (statement) => statement.all(...bound(values)));
  }

  /** The first rows, up to the one that `goesOn` refuses. What is behind them is not read. */
  takeWhile(goesOn: (row: Row) => boolean, text: string, ...values: Value[]): readonly Row[] {
    return this.#with(text, (statement) => {
      const rows: Row[] = [];
      for (const row of statement.iterate(...bound(values))) {
        if (!goesOn(row)) break;
        rows.push(row);
      }
      return rows;
    });
  }

  /** Until the end, all that is read is as of one commit, and the file is locked once. */
  beginReading(): void {
    this.#reading = 'asked';
  }

  endReading(): void {
    const hasBegun = this.#reading === 'begun';
    this.#reading = undefined;
    if (hasBegun) this.run('END');
  }

  get isWriting(): boolean {
    return this.#sqlite.inTransaction && this.#reading === undefined;
  }

  /** A function that statements may call. */
  define(name: string, work: (...values: unknown[]) => null): void {
    this.#sqlite.function(name, { varargs: true }, work);
  }

  #with<Found>(text: string, work: (statement: Sqlite.Statement<unknown[], Row>) => Found): Found {
    try {
      if (this.#reading === 'asked') this.#beginTransaction();
      return work(this.#statement(text));
    } catch (error) {
      if (isDamage(error)) this.#damaged(error.message);
      throw error;
    }
  }

  #beginTransaction(): void {
    this.#statement('BEGIN').run();
    this.#reading = 'begun';
  }

  #statement(text: string): Sqlite.Statement<unknown[], Row> {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const prepared = this.#sqlite.prepare<unknown[], Row>(planOnce(text));
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

/** Whether SQLite reports a damaged file, or a file that is no database. */
export function isDamage(error: unknown): error is InstanceType<typeof Sqlite.SqliteError> {
  return error instanceof Sqlite.SqliteError && /CORRUPT|NOTADB/.test(error.code);
}

/**
 * SQLite replans a statement whenever a parameter is bound that its plan may depend on: 40 µs instead of 3 for the next
 * message of a chat. It ignores parameters inside expressions, and `+?` is such an expression. (Only builds with STAT4
 * replan, as better-sqlite3's: https://www.sqlite.org/c3ref/prepare.html.)
 */
export function planOnce(text: string): string {
  return text.replaceAll(/'[^']*'|[?]|@\w+/g, (found) => (found.startsWith("'") ? found : `+${found}`));
}

function bound(values: readonly Value[]): readonly unknown[] {
  return values.map((value) => {
    if (typeof value === 'boolean') return Number(value);
    return Array.isArray(value) ? JSON.stringify(value) : value;
  });
}
