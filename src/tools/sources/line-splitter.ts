/** A line is longer than any may be. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

const firstSize = 4_096;

/** Takes bytes as they come, and gives the lines that are whole: UTF-8, without their ends. */
export class LineSplitter {
  readonly #maxBytes: number;
  #kept = Buffer.alloc(0);
  #length = 0;

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** Throws `LineTooLongError` as soon as a line is too long: nothing can be made of what follows. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#append(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    return lines;
  }

  /** Copies: many small pieces must not cost an object each. */
  #append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#maxBytes) throw new LineTooLongError(`a line was longer than ${this.#maxBytes} bytes`);
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#kept.length, firstSize));
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#length);
    this.#length = length;
  }

  #take(): string {
    const line = this.#kept.toString('utf8', 0, this.#length);
    this.#kept = Buffer.alloc(0);
    this.#length = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
