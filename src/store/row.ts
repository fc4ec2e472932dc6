/** Reads the columns of a row that SQLite gave. Throws where the schema and the code disagree: that is a fault of ours. */
export class Row {
  readonly #values: object;

  constructor(values: unknown) {
    if (typeof values !== 'object' || values === null) throw new TypeError('the database gave no row');
    this.#values = values;
  }

  text(column: string): string {
    const value = this.optionalText(column);
    if (value === undefined) throw new TypeError(`the column ${column} is null`);
    return value;
  }

  optionalText(column: string): string | undefined {
    const value: unknown = Reflect.get(this.#values, column);
    if (value === null) return undefined;
    if (typeof value !== 'string') throw new TypeError(`the column ${column} is no text`);
    return value;
  }

  integer(column: string): number {
    const value = this.optionalInteger(column);
    if (value === undefined) throw new TypeError(`the column ${column} is null`);
    return value;
  }

  optionalInteger(column: string): number | undefined {
    const value: unknown = Reflect.get(this.#values, column);
    if (value === null) return undefined;
    if (typeof value !== 'number') throw new TypeError(`the column ${column} is no number`);
    return value;
  }

  flag(column: string): boolean {
    return this.integer(column) !== 0;
  }

  /** One of the words, as the schema's CHECK promises. */
  word<Word extends string>(column: string, words: readonly Word[]): Word {
    const text = this.text(column);
    const word = words.find((candidate) => candidate === text);
    if (word === undefined)
      throw new TypeError(`the column ${column} holds ${JSON.stringify(text)}, which it must not`);
    return word;
  }

  /** What `JSON.stringify` wrote there. The caller knows its type: nobody but this store writes these columns. */
  json<Stored>(column: string): Stored {
    const stored: Stored = JSON.parse(this.text(column));
    return stored;
  }
}
