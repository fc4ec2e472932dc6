import type { KeptTranscripts } from './kept-transcripts.ts';
import type { PendingWatch } from './pending-watch.ts';
import type { NumberedColumn } from './row-numbers.ts';
import type { Told } from './told.ts';

/** A column value (undefined is stored as NULL, a flag as 1 or 0, a list as JSON), or all named values (`@id`). */
export type Value = Cell | boolean | readonly unknown[] | Readonly<Record<string, Cell>>;
type Cell = string | number | null | undefined;
/** A row as the engine returned it. */
export type Row = Readonly<Record<string, unknown>>;

/** What is there at once in one engine, and later in another. Await it. */
export type Eventual<Result> = Result | Promise<Result>;

/**
 * The statements of one transaction, or of a database outside of any: each by itself then. The same text runs in each engine: see
 * their dialects. Make interpolated texts module constants: what an engine makes of a text is kept by the text.
 */
export abstract class Sql {
  /** What transactions tell of once they are committed. */
  abstract readonly told: Told;
  /** What was read of live conversations, as long as it holds. */
  abstract readonly kept: KeptTranscripts;
  abstract readonly approvals: PendingWatch;
  /** The row of the audit that was added last, if it was not rolled back. */
  abstract readonly audited: { newest?: { readonly seq: number; readonly hash: string } };

  /** Returns the number of changed rows. */
  abstract run(text: string, ...values: Value[]): Eventual<number>;
  /** Whether a row changed: for compare-and-set. */
  abstract changed(text: string, ...values: Value[]): Eventual<boolean>;
  /** The first row; undefined if none. */
  abstract get(text: string, ...values: Value[]): Eventual<Row | undefined>;
  /** The first row, parsed by `read`. */
  abstract find<Found>(read: (row: Row) => Found, text: string, ...values: Value[]): Eventual<Found | undefined>;
  /** All rows, parsed by `read`. */
  abstract list<Found>(read: (row: Row) => Found, text: string, ...values: Value[]): Eventual<readonly Found[]>;
  /** For statements that always return a row: counts, sums, RETURNING. */
  abstract one(text: string, ...values: Value[]): Eventual<Row>;
  /** Whether there is a row. */
  abstract has(text: string, ...values: Value[]): Eventual<boolean>;
  /** The only column of the only row. */
  abstract number(text: string, ...values: Value[]): Eventual<number>;
  /** The only column of all rows. */
  abstract texts(statement: string, ...values: Value[]): Eventual<readonly string[]>;
  abstract all(text: string, ...values: Value[]): Eventual<readonly Row[]>;
  /** The first rows, up to the one that `goesOn` refuses. What is behind them is not read. */
  abstract takeWhile(goesOn: (row: Row) => boolean, text: string, ...values: Value[]): Eventual<readonly Row[]>;
}

/** The statements of the transaction that a change is made in. */
export function sqlIn({ transaction }: { readonly transaction: object }): Sql {
  if (transaction instanceof Sql) return transaction;
  throw new TypeError('a change is made within a transaction of the store');
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
  return (sql: Sql, row: { readonly [Field in FieldsOf<Into>]?: unknown }): Eventual<boolean> => {
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

/** The number in a row's only column. */
export const valueIn = only(integer);

/** The texts in the only column of rows. */
export const textsIn = (rows: readonly Row[]): readonly string[] => rows.map(only(text));

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
