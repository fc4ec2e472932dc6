const sequenceOrCharacter = new RegExp(`${'\u001b'}(?:([78])|\\[\\??(\\d*)([A-Za-z]))|.`, 'gsu');

/** Characters that take two cells. */
const wide = /[\p{Script=Han}\u3001-\u303f\uff01-\uff60]/u;

/** What a terminal of that width shows after it was sent some output: enough of one to know where the cursor is. */
export class VirtualScreen {
  readonly #columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  #kept: readonly [number, number] = [0, 0];

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** The rows from the top, without space at their ends and without empty ones at the bottom. */
  get rows(): readonly string[] {
    const rows = this.#rows.map((row) =>
      Array.from(row, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
    while (rows.at(-1) === '') rows.pop();
    return rows;
  }

  /** Where the cursor is: the text of its row up to it. */
  get beforeCursor(): string {
    return this.#cells().slice(0, this.#column).join('');
  }

  write(output: string): void {
    const parts = output.matchAll(sequenceOrCharacter);
    for (const [whole, cursor, count = '', command] of parts) {
      if (cursor !== undefined) this.#keepCursor(cursor);
      else if (command === undefined) this.#show(whole);
      else this.#obey(command, count === '' ? undefined : Number(count));
    }
  }

  #show(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#newRow();
    else {
      // A full row waits for the next character before it is broken.
      const cells = wide.test(character) ? [character, ''] : [character];
      if (this.#column + cells.length > this.#columns) this.#newRow();
      this.#cells().splice(this.#column, cells.length, ...cells);
      this.#column += cells.length;
    }
  }

  /** `7` remembers where the cursor is, and `8` brings it back there. */
  #keepCursor(how: string): void {
    if (how === '7') this.#kept = [this.#row, this.#column];
    else [this.#row, this.#column] = this.#kept;
  }

  #newRow(): void {
    this.#row += 1;
    this.#column = 0;
    this.#cells();
  }

  #obey(command: string, count: number | undefined): void {
    if (command === 'A') this.#row = Math.max(0, this.#row - (count ?? 1));
    if (command === 'B') this.#row += count ?? 1;
    if (command === 'C') this.#column = Math.min(this.#columns - 1, this.#column + (count ?? 1));
    if (command === 'D') this.#column = Math.max(0, this.#column - (count ?? 1));
    if (command === 'G') this.#column = (count ?? 1) - 1;
    if (command === 'J' || command === 'K') this.#cells().length = Math.min(this.#cells().length, this.#column);
    if (command === 'J') this.#rows.length = this.#row + 1;
  }

  #cells(): string[] {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    const cells = this.#rows[this.#row] ?? [];
    while (cells.length < this.#column) cells.push(' ');
    return cells;
  }
}
