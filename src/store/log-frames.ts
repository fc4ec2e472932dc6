import { readSync } from 'node:fs';

/*
 * The write-ahead log as its file has it, read beside SQLite, and compared with what SQLite knows of it. Both formats:
 * https://www.sqlite.org/walformat.html. A log that another program cuts off grows again with the next commit: its size
 * is right then, and zeros stand where pages were. Only SQLite's checksums tell.
 */

/** The header of the log, in bytes. */
export const headerSize = 32;
/** The header of each page in the log, in bytes. */
const frameHeaderSize = 24;
/** How much of SQLite's index of the log is read, in bytes. */
const indexSize = 100;
/** How many pages are read at once. */
const chunk = 64;

/** Two unsigned numbers of 32 bits. */
type Pair = readonly [number, number];

/** What SQLite knows of the log. It keeps that in the file `-shm`, in the machine's byte order. */
export interface LogIndex {
  /** In bytes. */
  readonly pageSize: number;
  /** The number of pages in the log. */
  readonly pages: number;
  /** How many of these are copied into the database. */
  readonly copied: number;
  /** Differs each time the log begins again. In the header of the log and of each page. */
  readonly salt: Pair;
  /** The checksum of the last page, which includes all pages before it. */
  readonly checksum: Pair;
  /** The byte order of the words that the checksum adds up. */
  readonly isLittle: boolean;
}

/** Reads SQLite's index of the log: about 2 µs. */
export function readIndex(descriptor: number): LogIndex {
  const words = new Uint32Array(indexSize / 4);
  readSync(descriptor, words, 0, indexSize, 0);
  const [bigEndian = 0] = new Uint8Array(words.buffer, 13, 1);
  const [size = 0] = new Uint16Array(words.buffer, 14, 1);
  const word = (place: number): number => words[place] ?? 0;
  return {
    // 1 stands for 65,536.
    pageSize: (size & 0xfe00) + ((size & 1) << 16),
    pages: word(4),
    copied: word(24),
    checksum: [word(6), word(7)],
    // Copied as it stands in the log, in whose byte order it is compared.
    salt: pairAt(Buffer.from(words.buffer), 32),
    isLittle: bigEndian === 0,
  };
}

/** Whether the last page in the index stands in the log. Looks at 24 bytes. */
export function hasLastPage(log: number, index: LogIndex): boolean {
  if (index.pages === 0) return true;
  const header = headerOf(log, index, index.pages);
  return hasSalt(header, 8, index) && isSame(pairAt(header, 16), index.checksum);
}

/**
 * Whether all that is not copied yet stands in the log as SQLite wrote it: about 4 ms for 4 MB. `isVoid`: we have
 * zeroed the log's header.
 */
export function isWhole(log: number, index: LogIndex, isVoid: boolean): boolean {
  if (index.copied === index.pages) return true;
  const header = read(log, headerSize, 0);
  if (!isVoid && !hasSalt(header, 16, index)) return false;
  return areWhole(log, index, index.copied === 0 ? pairAt(header, 24) : pairAt(headerOf(log, index, index.copied), 16));
}

function areWhole(log: number, index: LogIndex, before: Pair): boolean {
  const frameSize = frameHeaderSize + index.pageSize;
  let sum = before;
  for (let page = index.copied; page < index.pages; page += chunk) {
    const size = Math.min(chunk, index.pages - page) * frameSize;
    const frames = read(log, size, headerSize + page * frameSize);
    const view = new DataView(frames.buffer, frames.byteOffset, size);
    for (let at = 0; at < size; at += frameSize) {
      sum = added(view, at, at + 8, sum, index.isLittle);
      sum = added(view, at + frameHeaderSize, at + frameSize, sum, index.isLittle);
      if (!hasSalt(frames, at + 8, index) || !isSame(sum, pairAt(frames, at + 16))) return false;
    }
  }
  return isSame(sum, index.checksum);
}

/** SQLite's checksum, continued. */
function added(view: DataView, from: number, to: number, [first, second]: Pair, isLittle: boolean): Pair {
  let [one, two] = [first | 0, second | 0];
  for (let at = from; at < to; at += 8) {
    one = (one + view.getUint32(at, isLittle) + two) | 0;
    two = (two + view.getUint32(at + 4, isLittle) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}

/** The header of a page, counted from 1. */
function headerOf(log: number, { pageSize }: LogIndex, page: number): Buffer {
  return read(log, frameHeaderSize, headerSize + (page - 1) * (frameHeaderSize + pageSize));
}

/** What is behind the end of the file is zeros. */
function read(log: number, size: number, at: number): Buffer {
  const content = Buffer.alloc(size);
  readSync(log, content, 0, size, at);
  return content;
}

function hasSalt(content: Buffer, at: number, { salt }: LogIndex): boolean {
  return isSame(pairAt(content, at), salt);
}

function pairAt(content: Buffer, at: number): Pair {
  return [content.readUInt32BE(at), content.readUInt32BE(at + 4)];
}

function isSame(one: Pair, other: Pair): boolean {
  return one[0] === other[0] && one[1] === other[1];
}
