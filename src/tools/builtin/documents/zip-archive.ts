import { inflateRawSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { DocumentError } from './document.ts';

export interface ZipLimits {
  /** How many files the archive may hold. */
  readonly files: number;
  /** How large they may be together when they are unpacked, in bytes. */
  readonly bytes: number;
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

const broken = 'The document is broken: its archive (zip) cannot be read.';

/** The names of what the archive holds. Throws `DocumentError` if it is none, or holds more than it may. */
export function zipNames(archive: Buffer, limits: ZipLimits): readonly string[] {
  return entriesOf(archive, limits).map(({ name }) => name);
}

/**
 * The files of the archive whose names are wanted, unpacked. Believes no size that the archive states: what unpacks to more
 * than the limit is refused once it does. Throws `DocumentError`.
 */
export function unzip(
  archive: Buffer,
  limits: ZipLimits,
  isWanted: (name: string) => boolean,
): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  let left = limits.bytes;
  for (const entry of entriesOf(archive, limits)) {
    if (!isWanted(entry.name)) continue;
    const content = contentOf(archive, entry, left);
    left -= content.length;
    files.set(entry.name, content);
  }
  return files;
}

function entriesOf(archive: Buffer, limits: ZipLimits): readonly ZipEntry[] {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end === -1 || end + 22 > archive.length) throw new DocumentError(broken);
  const count = archive.readUInt16LE(end + 10);
  if (count > limits.files) throw new DocumentError(`The document holds ${count} files, which is too much to be read.`);
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  while (entries.length < count) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== 0x02014b50) throw new DocumentError(broken);
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28);
    if ((archive.readUInt16LE(at + 8) & 1) === 1)
      throw new DocumentError('The document is encrypted: it cannot be read without its password.');
    entries.push({
      name: archive.toString('utf8', at + 46, nameEnd),
      method: archive.readUInt16LE(at + 10),
      packedSize: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
      offset: archive.readUInt32LE(at + 42),
    });
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

function contentOf(archive: Buffer, { method, packedSize, size, offset }: ZipEntry, most: number): Buffer {
  if (size > most) throw tooLarge();
  if (offset + 30 > archive.length) throw new DocumentError(broken);
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  const packed = archive.subarray(start, start + packedSize);
  if (packed.length < packedSize) throw new DocumentError(broken);
  if (method === 0 && packed.length > most) throw tooLarge();
  if (method === 0) return packed;
  if (method !== 8) throw new DocumentError(broken);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (cause) {
    const isBomb = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    throw isBomb ? tooLarge() : new DocumentError(broken, { cause });
  }
}

function tooLarge(): DocumentError {
  return new DocumentError(
    'The document is refused: unpacked, it is far larger than a document of its kind should be.',
  );
}

export type Attributes = Readonly<Record<string, string>>;

/** What is told of the XML of an Office document, in its order. Text may come in pieces. */
export interface Walker {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Goes through XML with the names of elements and attributes without their prefix, which is the author's to choose. Of entities, it
 * knows those of XML alone: what a document defines stays as it is written.
 */
export function walk(xml: string, walker: Walker): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => walker.open?.(local(name), withoutPrefixes(attributes)),
      onclosetag: (name) => walker.close?.(local(name)),
      ontext: (text) => walker.text?.(text),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function withoutPrefixes(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [local(key), value]));
}
