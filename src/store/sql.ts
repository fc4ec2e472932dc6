import Sqlite from 'better-sqlite3';

/** A value for a column, where a missing one is NULL and a flag is 1 or 0; or all values of a statement that names them: `@id`. */
export type Value = string | number | boolean | null | undefined | Readonly<Record<string, string | number | null>>;
/** A row as SQLite gave it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The statements of one database. A text is prepared when it is first needed, since a start needs one in ten and preparing
 * them all takes 30 ms, and is kept under the text itself. So a text with holes has to be a constant of its module: put
 * together at each call, it would have to be read through each time to be found.
 */
export class Sql {
  readonly #sqlite: Sqlite.Database;
  readonly #damaged: (damage: string) => void;
  readonly #prepared = new Map<string, Sqlite.Statement<unknown[], Row>>();

  /** `damaged` is told what is wrong where a statement finds that the file is damaged; the statement throws all the same. */
  constructor(sqlite: Sqlite.Database, damaged: (damage: string) => void = () => {}) {
    this.#sqlite = sqlite;
    this.#damaged = damaged;
  }

  /** How many rows the statement has changed. */
  run(text: string, ...values: Value[]): number {
    try {
      return this.#statement(text).run(...bound(values)).changes;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Whether the statement has changed a row: for what is compared and set. */
  changed(text: string, ...values: Value[]): boolean {
    return this.run(text, ...values) > 0;
  }

  /** The first row, if there is one. */
  get(text: string, ...values: Value[]): Row | undefined {
    try {
      return this.#statement(text).get(...bound(values));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** The first row, as it is read. */
  find<Found>(read: (row: Row) => Found, text: string, ...values: Value[]): Found | undefined {
    const row = this.get(text, ...values);
    return row && read(row);
  }

  /** A row that is there whatever stands in the tables: a count, a sum, what was just written. */
  one(text: string, ...values: Value[]): Row {
    const row = this.get(text, ...values);
    if (row === undefined) throw new TypeError('the database gave no row');
    return row;
  }

  /** What a statement has counted under that name. */
  count(statement: string, ...values: Value[]): number {
    return integer(this.one(statement, ...values), 'count');
  }

  /** One column of all rows. */
  texts(column: string, statement: string, ...values: Value[]): readonly string[] {
    return this.all(statement, ...values).map((row) => text(row, column));
  }

  all(text: string, ...values: Value[]): readonly Row[] {
    try {
      return this.#statement(text).all(...bound(values));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): unknown {
    if (isDamage(error)) this.#damaged(error.message);
    return error;
  }

  #statement(text: string): Sqlite.Statement<unknown[], Row> {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const prepared = this.#sqlite.prepare<unknown[], Row>(planOnce(text));
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

/** Whether SQLite has found that a file is damaged, or no database at all. */
export function isDamage(error: unknown): error is InstanceType<typeof Sqlite.SqliteError> {
  return error instanceof Sqlite.SqliteError && /CORRUPT|NOTADB/.test(error.code);
}

/**
 * SQLite plans a statement again each time that a parameter is bound which its plan may depend on: 40 µs in place of 3 for
 * the next message of a chat. It does not look into an expression: `+?` is the same value, and planned once. (It does so
 * where it was built with STAT4, as in better-sqlite3: https://www.sqlite.org/c3ref/prepare.html.)
 */
export function planOnce(text: string): string {
  return text.replaceAll(/'[^']*'|[?]|@\w+/g, (found) => (found.startsWith("'") ? found : `+${found}`));
}

function bound(values: Value[]): unknown[] {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (value === undefined) values[index] = null;
    else if (typeof value === 'boolean') values[index] = value ? 1 : 0;
  }
  return values;
}

/** For a column of JSON. A missing value is NULL. */
export function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** Reads a column of a row. Throws where the schema and the code disagree: that is a fault of ours. */
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

/** Undefined where the column is null. */
export function optional<Found>(read: Read<Found>): Read<Found | undefined> {
  return (row, column) => (row[column] === null ? undefined : read(row, column));
}

export const optionalText = optional(text);
export const optionalInteger = optional(integer);

/** One of the words, as the schema's CHECK promises. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Read<Word> {
  return (row, column) => {
    const found = text(row, column);
    const word = words.find((candidate) => candidate === found);
    if (word === undefined)
      throw new TypeError(`the column ${column} holds ${JSON.stringify(found)}, which it must not`);
    return word;
  };
}

/** Parses JSON. The caller knows its type: nobody but this store writes these columns. */
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

/**
 * Reads rows as objects: a field `sentAt` from the column `sent_at`. Where a column is called otherwise, the statement
 * renames it.
 */
export function columns<const Shape extends Readonly<Record<string, Field>>>(
  shape: Shape,
): (row: Row) => { readonly [Name in keyof Shape]: Found<Shape[Name]> } {
  const fields = Object.entries(shape).map(([name, field]) => {
    return { name, column: columnOf(name), read: typeof field === 'string' ? kinds[field] : field };
  });
  return (row) => {
    // Typed by the shape: what stands in it was read one by one.
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
