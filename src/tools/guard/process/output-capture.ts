import type { Readable } from 'node:stream';

const blockSize = 16_384;

export type CapturedOutput = ReturnType<ReturnType<typeof captureOutput>>;

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
 * the beginning, and the end. Memory stays within about the limit. The function gives what there is by now; `truncated`:
 * something is left out in the middle, and a line says how much.
 */
export function captureOutput(streams: Readonly<Record<'stdout' | 'stderr', Readable>>, limit: number) {
  const [stdout, stderr] = [keep(streams.stdout), keep(streams.stderr)];

  function keep(stream: Readable): Kept {
    const kept: Kept = { head: Buffer.alloc(0), tail: [], size: 0, total: 0 };
    stream.on('data', (chunk: Buffer) => {
      const headRoom = Math.max(0, Math.floor(limit / 4) - kept.head.length);
      if (headRoom > 0) kept.head = Buffer.concat([kept.head, chunk.subarray(0, headRoom)]);
      kept.total += chunk.length;
      kept.size += chunk.length;
      append(kept, chunk.subarray(headRoom));
      while (stdout.size + stderr.size > limit) {
        const larger = tailLength(stdout) >= tailLength(stderr) ? stdout : stderr;
        const dropped = larger.tail.shift();
        if (dropped === undefined) return;
        larger.size -= dropped.used;
      }
    });
    return kept;
  }

  return () => ({
    stdout: text(stdout),
    stderr: text(stderr),
    truncated: [stdout, stderr].some(({ size, total }) => size < total),
  });
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
