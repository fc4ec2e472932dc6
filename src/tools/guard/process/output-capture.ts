import type { Readable } from 'node:stream';

const blockSize = 16_384;

export type CapturedOutput = ReturnType<ReturnType<typeof captureOutput>>;

/** The kept parts of one stream: its beginning, and the latest blocks. */
interface Kept {
  head: Buffer;
  readonly tail: { readonly bytes: Buffer; used: number }[];
  /** In bytes: what is kept, and what came. */
  size: number;
  total: number;
}

/**
 * Consumes the output of a process and keeps at most `limit` bytes of both streams together: the beginning and the end
 * of each. Memory stays within about the limit. The returned function gives the output so far; `truncated`: the middle
 * is left out, and a line says how much.
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

/** Copies into blocks, so that a process that writes byte by byte does not cost an object for each. */
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
  // Skips the rest of a character whose beginning is left out.
  let start = 0;
  while (start < 3 && ((end[start] ?? 0) & 0xc0) === 0x80) start++;
  // Streaming holds back a character that is cut.
  const beginning = new TextDecoder().decode(head, { stream: true });
  return `${beginning}\n[… ${total - size} bytes left out …]\n${new TextDecoder().decode(end.subarray(start))}`;
}
