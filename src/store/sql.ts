import Sqlite from 'better-sqlite3';
import { KeptTranscripts } from './kept-transcripts.ts';
import { PendingWatch } from './pending-watch.ts';
import type { NumberedColumn } from './row-numbers.ts';
import { Told } from './told.ts';

/** A column value (undefined is stored as NULL, a flag as 1 or 0, a list as JSON), or all named values (`@id`). */
export type Value = Cell | boolean | readonly unknown[] | Readonly<Record<string, Cell>>;
type Cell = string | number | null | undefined;
/** A row as SQLite returned it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The statements of one database. Each is prepared on first use, because a start needs one in ten and preparing all
 * takes 30 ms. The cache is keyed by text, so make interpolated texts module constants: a text built per call would be
 * hashed each time.
 */
export class Sql {
  /** What transactions tell of once they are committed. */
  readonly told = new Told();
  /** What was read of live conversations, as long as it holds. */
  readonly kept = new KeptTranscripts(this);
  readonly approvals = new PendingWatch(this);
  /** The row of the audit that was added last, if it was not rolled back. */
  readonly audited: { newest?: { readonly seq: number; readonly hash: string } } = {};
  readonly #sqlite: Sqlite.Database;
  #isReading = false;
  readonly #damaged: (damage: string) => void;
  readonly #prepared = new Map<string, Sqlite.Statement<unknown[], Row>>();

  /** `damaged` is called if a statement finds the file damaged. The statement throws anyway. */
  constructor(sqlite: Sqlite.Database, damaged: (damage: string) => void = () => {}) {
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
    return only(integer)(this.one(text, ...values));
  }

  /** The only column of all rows. */
  texts(statement: string, ...values: Value[]): readonly string[] {
    return this.list(only(text), statement, ...values);
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

  /** Reads in one transaction: all of it as of one commit, and the file is locked once. Within a write, it is part of that. */
  reading<Found>(read: () => Found): Found {
    if (this.#sqlite.inTransaction) return read();
    this.run('BEGIN');
    this.#isReading = true;
    try {
      return read();
    } finally {
      this.#isReading = false;
      this.run('END');
    }
  }

  get isWriting(): boolean {
    return this.#sqlite.inTransaction && !this.#isReading;
  }

  /** A function that statements may call. */
  define(name: string, work: (...values: unknown[]) => null): void {
    this.#sqlite.function(name, { varargs: true }, work);
  }

  #with<Found>(text: string, work: (statement: Sqlite.Statement<unknown[], Row>) => Found): Found {
    try {
      return work(this.#statement(text));
    } catch (error) {
      if (isDamage(error)) this.#damaged(error.message);
      throw error;
    }
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

/**
 * A function that adds a row, with values named like the columns: `sentAt` for `sent_at`. Lists and objects are stored as
 * JSON, missing values as NULL. Of `into`, the table and its columns precede the values; the rest, such as
 * `ON CONFLICT …`, follows them. The value of the `numbered` column is computed. The function returns whether a row was added
 * or changed.
 */
export function insertInto<const Into extends string>(into: Into, numbered?: NumberedColumn) {
  const [table = '', more = ''] = into.split(/(?<=^[^)]*\))/);
  const fields = Array.from(table.matchAll(/\w+(?=[,)])/g), ([column]) => fieldOf(column));
  const values = fields.map(() => '?').join(', ');
  const statement =
    numbered === undefined
      ? `INSERT INTO ${table} VALUES (${values}) ${more}`
      : `INSERT INTO ${table.replace('(', `(${numbered.column}, `)} VALUES (${numbered.next}, ${values}) ${more}`;
  return (sql: Sql, row: { readonly [Field in FieldsOf<Into>]?: unknown }): boolean => {
    const values = new Map<string, unknown>(Object.entries(row));
    return sql.changed(statement, ...fields.map((field) => stored(values.get(field))));
  };
}
type FieldsOf<Into extends string> = Into extends `${string} (${infer List})${string}` ? FieldsIn<List> : never;
type FieldsIn<List extends string> = List extends `${infer First}, ${infer Rest}`
  ? FieldOf<First> | FieldsIn<Rest>
  : FieldOf<List>;
type FieldOf<Column extends string> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<FieldOf<Rest>>}`
  : Column;

function fieldOf(column: string): string {
  return column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function stored(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** Reads a column. Throws if schema and code disagree, which is a bug. */
type Read<Found> = (row: Row, column: string) => Found;

export const text: Read<string> = (row, column) => {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`the column ${column} is ${value === null ? 'null' : 'no text'}`);
  return value;
};

export const integer: Read<number> = (row, column) => {
  const value = row[column];
  if (typeof value !== 'number')
    throw new TypeError(`the column ${column} is ${value === null ? 'null' : 'no number'}`);
  return value;
};

export const flag: Read<boolean> = (row, column) => integer(row, column) !== 0;

/** Undefined if the column is NULL. */
export function optional<Found>(read: Read<Found>): Read<Found | undefined> {
  return (row, column) => (row[column] === null ? undefined : read(row, column));
}

export const optionalText = optional(text);
export const optionalInteger = optional(integer);

function only<Found>(read: Read<Found>): (row: Row) => Found {
  return (row) => read(row, Object.keys(row)[0] ?? '');
}

/** One of the words that the schema's CHECK allows. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Read<Word> {
  return (row, column) => {
    const found = text(row, column);
    const word = words.find((candidate) => candidate === found);
    if (word === undefined)
      throw new TypeError(`the column ${column} holds ${JSON.stringify(found)}, which it must not`);
    return word;
  };
}

/** Parses JSON. The type is unchecked: only this store writes these columns. */
export function json<Stored>(): Read<Stored> {
  return (row, column) => {
    const stored: Stored = JSON.parse(text(row, column));
    return stored;
  };
}

export const texts = json<readonly string[]>();

const kinds = { text, 'text?': optionalText, integer, 'integer?': optionalInteger, flag, texts };
type Field = keyof typeof kinds | Read<unknown>;
type Found<Shape> = Shape extends keyof typeof kinds
  ? ReturnType<(typeof kinds)[Shape]>
  : Shape extends Read<infer Value>
    ? Value
    : never;

/** A reader of rows as objects. The field `sentAt` reads the column `sent_at`; alias other columns in the statement. */
export function columns<const Shape extends Readonly<Record<string, Field>>>(
  shape: Shape,
): (row: Row) => { readonly [Name in keyof Shape]: Found<Shape[Name]> } {
  const fields = Object.entries(shape).map(([name, field]) => {
    return { name, column: columnOf(name), read: typeof field === 'string' ? kinds[field] : field };
  });
  return (row) => {
    // Typed by the shape: each field was read with its own type.
    const found = Object.create(Object.prototype);
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index];
      if (field !== undefined) found[field.name] = field.read(row, field.column);
    }
    return found;
  };
}

function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
