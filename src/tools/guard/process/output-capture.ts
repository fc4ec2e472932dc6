const blockSize = 16_384;

export type CapturedOutput = ReturnType<OutputCapture['read']>;

/** What is kept of one stream: its beginning, and blocks of what came last. */
interface Kept {
  head: Buffer;
  readonly tail: { readonly bytes: Buffer; used: number }[];
  /** How much of the stream is kept, and how much came. */
  size: number;
  total: number;
}

/**
 * Takes the output of a process, however much it is, and keeps at most `limit` bytes of both streams together: of each
 * the beginning, and the end. Memory stays within about the limit.
 */
export class OutputCapture {
  readonly #limit: number;
  readonly #stdout: Kept = { head: Buffer.alloc(0), tail: [], size: 0, total: 0 };
  readonly #stderr: Kept = { head: Buffer.alloc(0), tail: [], size: 0, total: 0 };

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    const kept = stream === 'stdout' ? this.#stdout : this.#stderr;
    const headRoom = Math.max(0, Math.floor(this.#limit / 4) - kept.head.length);
    if (headRoom > 0) kept.head = Buffer.concat([kept.head, chunk.subarray(0, headRoom)]);
    kept.total += chunk.length;
    kept.size += chunk.length;
    append(kept, chunk.subarray(headRoom));
    while (this.#stdout.size + this.#stderr.size > this.#limit) {
      const larger = tailLength(this.#stdout) >= tailLength(this.#stderr) ? this.#stdout : this.#stderr;
      const dropped = larger.tail.shift();
      if (dropped === undefined) return;
      larger.size -= dropped.used;
    }
  }

  /** `truncated`: something is left out in the middle; a line says how much. */
  read() {
    const truncated = [this.#stdout, this.#stderr].some(({ size, total }) => size < total);
    return { stdout: text(this.#stdout), stderr: text(this.#stderr), truncated };
  }
}

function tailLength({ size, head }: Kept): number {
  return size - head.length;
}

/** Copies into blocks: a process that writes byte by byte must not cost an object for each. */
function append({ tail }: Kept, bytes: Buffer): void {
  let rest = bytes;
  while (rest.length > 0) {
    let block = tail.at(-1);
    if (block === undefined || block.used === blockSize) {
      block = { bytes: Buffer.allocUnsafe(blockSize), used: 0 };
      tail.push(block);
    }
    const copied = rest.copy(block.bytes, block.used);
    block.used += copied;
    rest = rest.subarray(copied);
  }
}

function text({ head, tail, size, total }: Kept): string {
  const end = Buffer.concat(tail.map((block) => block.bytes.subarray(0, block.used)));
  if (size === total) return new TextDecoder().decode(Buffer.concat([head, end]));
  // A character that began in what is left out is left out too.
  let start = 0;
  while (start < 3 && ((end[start] ?? 0) & 0xc0) === 0x80) start++;
  // Streaming keeps back a character that the cut has halved.
  const beginning = new TextDecoder().decode(head, { stream: true });
  return `${beginning}\n[… ${total - size} bytes left out …]\n${new TextDecoder().decode(end.subarray(start))}`;
}
