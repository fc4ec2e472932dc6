const blockSize = 16_384;

/** What is kept of one stream: its beginning, and blocks of what came last. */
interface Kept {
  head: Buffer;
  readonly tail: Block[];
  tailLength: number;
  total: number;
}

interface Block {
  readonly bytes: Buffer;
  used: number;
}

export interface CapturedOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Something is left out in the middle; a line says how much. */
  readonly truncated: boolean;
}

/**
 * Takes the output of a process, however much it is, and keeps at most `limit` bytes of both streams together: of each
 * the beginning, and the end. Memory stays within about the limit.
 */
export class OutputCapture {
  readonly #limit: number;
  readonly #streams = { stdout: empty(), stderr: empty() };

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    const kept = this.#streams[stream];
    kept.total += chunk.length;
    const headRoom = Math.max(0, Math.floor(this.#limit / 4) - kept.head.length);
    if (headRoom > 0) kept.head = Buffer.concat([kept.head, chunk.subarray(0, headRoom)]);
    append(kept, chunk.subarray(headRoom));
    this.#trim();
  }

  read(): CapturedOutput {
    const { stdout, stderr } = this.#streams;
    return { stdout: text(stdout), stderr: text(stderr), truncated: missing(stdout) + missing(stderr) > 0 };
  }

  #trim(): void {
    const { stdout, stderr } = this.#streams;
    while (size(stdout) + size(stderr) > this.#limit) {
      const larger = stdout.tailLength >= stderr.tailLength ? stdout : stderr;
      const dropped = larger.tail.shift();
      if (dropped === undefined) return;
      larger.tailLength -= dropped.used;
    }
  }
}

function empty(): Kept {
  return { head: Buffer.alloc(0), tail: [], tailLength: 0, total: 0 };
}

/** Copies into blocks: a process that writes byte by byte must not cost an object for each. */
function append(kept: Kept, bytes: Buffer): void {
  let rest = bytes;
  while (rest.length > 0) {
    let block = kept.tail.at(-1);
    if (block === undefined || block.used === blockSize) {
      block = { bytes: Buffer.allocUnsafe(blockSize), used: 0 };
      kept.tail.push(block);
    }
    const copied = rest.copy(block.bytes, block.used);
    block.used += copied;
    kept.tailLength += copied;
    rest = rest.subarray(copied);
  }
}

function size(kept: Kept): number {
  return kept.head.length + kept.tailLength;
}

function missing(kept: Kept): number {
  return kept.total - size(kept);
}

function text(kept: Kept): string {
  const tail = Buffer.concat(kept.tail.map((block) => block.bytes.subarray(0, block.used)));
  const dropped = missing(kept);
  if (dropped === 0) return new TextDecoder().decode(Buffer.concat([kept.head, tail]));
  // Streaming keeps back a character that the cut has halved.
  const head = new TextDecoder().decode(kept.head, { stream: true });
  return `${head}\n[… ${dropped} bytes left out …]\n${new TextDecoder().decode(tail.subarray(halfCharacter(tail)))}`;
}

/** How many bytes at the start belong to a character that began before. */
function halfCharacter(bytes: Buffer): number {
  let index = 0;
  while (index < 3 && ((bytes[index] ?? 0) & 0xc0) === 0x80) index++;
  return index;
}
