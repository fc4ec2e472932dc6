const sequenceOrCharacter = new RegExp(`${'\u001b'}(?:([78])|\\[\\??(\\d*)([A-Za-z]))|.`, 'gsu');

/** Characters that take two cells. */
const wide = /[\p{Script=Han}\u3001-\u303f\uff01-\uff60]/u;

/** What a terminal of that width shows after it was sent some output: enough of one to know where the cursor is. */
export class VirtualScreen {
  #columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  /** The rows that go on with the one above, since that was full. */
  readonly #continued = new Set<number>();
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

  /** Breaks full rows where they end now, as most terminals do. */
  resize(columns: number): void {
    const lines: { cells: string[]; cursor: number | undefined }[] = [];
    for (const [index, row] of this.#rows.entries()) {
      const line = this.#continued.has(index) ? lines.at(-1) : undefined;
      const cells: string[] = line?.cells ?? [];
      const cursor = index === this.#row ? cells.length + this.#column : line?.cursor;
      cells.push(...row);
      if (line === undefined) lines.push({ cells, cursor });
      else line.cursor = cursor;
    }
    this.#columns = columns;
    this.#rows.length = 0;
    this.#continued.clear();
    for (const { cells, cursor } of lines) {
      if (cursor !== undefined) {
        this.#row = this.#rows.length + Math.floor(cursor / columns);
        this.#column = cursor % columns;
      }
      for (let at = 0; at === 0 || at < cells.length; at += columns) {
        if (at > 0) this.#continued.add(this.#rows.length);
        this.#rows.push(cells.slice(at, at + columns));
      }
    }
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
      if (this.#column + cells.length > this.#columns) {
        this.#newRow();
        this.#continued.add(this.#row);
      }
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
    this.#continued.delete(this.#row);
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
    if (command !== 'J') return;
    this.#rows.length = this.#row + 1;
    for (const row of this.#continued) if (row > this.#row) this.#continued.delete(row);
  }

  #cells(): string[] {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    const cells = this.#rows[this.#row] ?? [];
    while (cells.length < this.#column) cells.push(' ');
    return cells;
  }
}
