/*
 * Archives in the POSIX format ustar, with pax headers for what does not fit (pubs.opengroup.org, `pax`): written so that
 * any `tar` reads them, and read strictly: an archive may come from anywhere.
 */

/** A regular file of an archive. */
export interface TarEntry {
  /** Relative, with slashes. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** The archive is no tar, is cut off, or has what this reader does not take. The message is for logs. */
export class TarError extends Error {
  override readonly name = 'TarError';
  /** `cut`: it ends too early · `unsafe`: a link, a device, or a path that leads out · `other`: it is no such archive. */
  readonly fault: 'cut' | 'unsafe' | 'other';

  constructor(fault: 'cut' | 'unsafe' | 'other', message: string) {
    super(message);
    this.fault = fault;
  }
}

const block = 512;
/** The most that eleven octal digits say. */
const mostOctal = 8 ** 11 - 1;
/** Longer pax headers are refused, in bytes. */
const longestPax = 65_536;

/** What stands at the end of an archive. */
export const tarEnd = Buffer.alloc(2 * block);

/** What stands before the content of a file that only its owner may read. `at`: in ms since 1970. */
export function tarHeader(entry: TarEntry, at: number): Buffer {
  const { name, size } = entry;
  const isPlain = Buffer.byteLength(name) <= 100 && size <= mostOctal;
  if (isPlain) return headerOf({ name, size, type: '0', at });
  const pax = Buffer.from(paxRecord('path', name) + paxRecord('size', `${size}`));
  const before = headerOf({ name: 'PaxHeaders/entry', size: pax.length, type: 'x', at });
  const short = { name: 'entry', size: Math.min(size, mostOctal), type: '0', at };
  return Buffer.concat([before, pax, tarPadding(pax.length), headerOf(short)]);
}

/** What stands behind the content of a file. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

/** `LENGTH KEY=VALUE\n`, where the length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bare = Buffer.byteLength(rest);
  const guess = bare + `${bare}`.length;
  const length = bare + `${guess}`.length;
  return `${length}${rest}`;
}

function headerOf({ name, size, type, at }: TarEntry & { readonly type: string; readonly at: number }): Buffer {
  const header = Buffer.alloc(block);
  header.write(name, 0, 'utf8');
  writeOctal(header, 0o600, 100, 8);
  writeOctal(header, 0, 108, 8);
  writeOctal(header, 0, 116, 8);
  writeOctal(header, size, 124, 12);
  writeOctal(header, Math.floor(at / 1000), 136, 12);
  header.write(type, 156, 'latin1');
  header.write('ustar\0', 257, 'latin1');
  header.write('00', 263, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function writeOctal(header: Buffer, value: number, place: number, width: number): void {
  header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, place, 'latin1');
}

/** The sum of the bytes, with blanks in the place of the sum. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, place) => sum + (place >= 148 && place < 156 ? 32 : byte), 0);
}

/** Takes the content of one file, in order. What it leaves is passed over. */
export type TarVisit = (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Reads an archive from its bytes. Throws `TarError` if it is cut off, if it has anything but regular files, or a name that
 * is not below the folder that it would be unpacked in.
 */
export async function readTar(bytes: AsyncIterable<Uint8Array>, visit: TarVisit): Promise<void> {
  const source = new ByteSource(bytes);
  let pax: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const header = await source.take(block);
    if (header.every((byte) => byte === 0)) return;
    const { name, size, type } = entryOf(header);
    if (type === 'x') {
      if (size > longestPax) throw new TarError('other', 'a header is too long');
      pax = paxOf(await source.take(size));
      await source.take(tarPadding(size).length);
      continue;
    }
    if (type !== '0' && type !== '\0') throw new TarError('unsafe', `${JSON.stringify(name)} is no regular file`);
    const entry = { name: pax.get('path') ?? name, size: sizeIn(pax) ?? size };
    pax = new Map();
    if (!isTarName(entry.name)) throw new TarError('unsafe', `${JSON.stringify(entry.name)} leads out of the archive`);
    await visit(entry, source.content(entry.size));
    await source.pass();
    await source.take(tarPadding(entry.size).length);
  }
}

function entryOf(header: Buffer): TarEntry & { readonly type: string } {
  const field = (from: number, to: number): string => header.toString('utf8', from, to).replace(/\0[\s\S]*$/, '');
  const number = (from: number, to: number): number => Number.parseInt(field(from, to).trim() || '0', 8);
  if (field(257, 262) !== 'ustar' || number(148, 156) !== sumOf(header))
    throw new TarError('other', 'a header is damaged, or it is no tar archive');
  const prefix = field(345, 500);
  const size = number(124, 136);
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError('other', 'a size is no number');
  return {
    name: prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`,
    size,
    type: header.toString('latin1', 156, 157),
  };
}

function paxOf(bytes: Buffer): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 8), 10);
    if (!(length > 0) || at + length > bytes.length) throw new TarError('other', 'a pax header is damaged');
    const [, key = '', value = ''] = /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(bytes.toString('utf8', at, at + length)) ?? [];
    found.set(key, value);
    at += length;
  }
  return found;
}

function sizeIn(pax: ReadonlyMap<string, string>): number | undefined {
  const size = pax.get('size');
  if (size === undefined) return undefined;
  if (!/^\d{1,15}$/.test(size)) throw new TarError('other', 'a size is no number');
  return Number(size);
}

/** Whether it names something below the folder that it is unpacked in, on every system. */
export function isTarName(name: string): boolean {
  const hasControl = [...name].some((letter) => letter < ' ');
  return !hasControl && !/[\\:]/.test(name) && name.split('/').every((part) => !/^\.{0,2}$/.test(part));
}

/** The bytes of an archive, taken in pieces of a wanted size. */
class ByteSource {
  readonly #bytes: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  /** How much of the current content is still to come. */
  #left = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = size; missing > 0; ) {
      const part = await this.#next(missing);
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  async *content(size: number): AsyncGenerator<Buffer, void> {
    this.#left = size;
    while (this.#left > 0) {
      const part = await this.#next(this.#left);
      this.#left -= part.length;
      yield part;
    }
  }

  async pass(): Promise<void> {
    while (this.#left > 0) this.#left -= (await this.#next(this.#left)).length;
  }

  async #next(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#bytes.next();
      if (done === true) throw new TarError('cut', 'it ends too early');
      this.#rest = Buffer.from(value);
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}
