import { posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { DocumentError } from './document.ts';

/** The limits of an archive: its number of files, and their unpacked size together, in bytes. */
const mostFiles = 10_000;
const mostBytes = 150 * 2 ** 20;

const broken = 'The document is broken: its archive (zip) cannot be read.';
const tooLarge = 'The document is refused: unpacked, it is far larger than a document of its kind should be.';

/** An office document or a book as a zip archive. Its names are in lower case. */
export interface OfficeArchive {
  readonly names: readonly string[];
  /** The text of a part, by its path in any case; empty if there is none. Throws `DocumentError`. */
  part(path: string): string;
  /** The same as bytes, for parts in other charsets. */
  bytes(path: string): Buffer;
}

/**
 * Opens an archive. Does not rely on the sizes that it states: unpacking ends at the limit. Throws `DocumentError` if it
 * is no zip, is encrypted, or has too many files.
 */
export function openArchive(archive: Buffer): OfficeArchive {
  const places = reading(() => placesIn(archive));
  let left = mostBytes;
  function bytes(path: string): Buffer {
    const place = places.get(path.toLowerCase());
    if (place === undefined) return Buffer.alloc(0);
    const content = reading(() => contentAt(archive, place, left));
    left -= content.length;
    return content;
  }
  return { names: [...places.keys()], bytes, part: (path) => bytes(path).toString() };
}

/** Offsets outside the archive, and data that cannot be unpacked, throw errors with a code. */
function reading<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    throw new DocumentError(cause.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : broken, { cause });
  }
}

/** Where the archive's central directory describes each file. */
function placesIn(archive: Buffer): ReadonlyMap<string, number> {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end === -1) throw new DocumentError(broken);
  const count = archive.readUInt16LE(end + 10);
  if (count > mostFiles) throw new DocumentError(`The document holds ${count} files, which is too much to be read.`);
  const places = new Map<string, number>();
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new DocumentError(broken);
    if ((archive.readUInt16LE(at + 8) & 1) === 1)
      throw new DocumentError('The document is encrypted: it cannot be read without its password.');
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28);
    places.set(archive.toString('utf8', at + 46, nameEnd).toLowerCase(), at);
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return places;
}

function contentAt(archive: Buffer, place: number, most: number): Buffer {
  // What is honest about its size costs nothing.
  if (archive.readUInt32LE(place + 24) > most) throw new DocumentError(tooLarge);
  const isPacked = archive.readUInt16LE(place + 10) !== 0;
  const header = archive.readUInt32LE(place + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const stored = archive.subarray(start, start + archive.readUInt32LE(place + 20));
  if (isPacked) return inflateRawSync(stored, { maxOutputLength: Math.max(1, most) });
  if (stored.length > most) throw new DocumentError(tooLarge);
  return stored;
}

export type Attributes = Readonly<Record<string, string>>;

/** Whether an element of this name is open. */
type IsIn = (name: string) => boolean;

/** Events of an Office document's XML, in order. On `open`, `isIn` includes the element. Text may come in pieces. */
export interface Walker {
  open?(name: string, attributes: Attributes, isIn: IsIn): void;
  close?(name: string, isIn: IsIn): void;
  text?(text: string, isIn: IsIn): void;
}

/**
 * Walks XML, with names of elements and attributes without their prefix, which authors choose freely. Decodes only
 * XML's own entities: those that a document defines stay as written.
 */
export function walk(xml: string, walker: Walker): void {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1);
  const depths = new Map<string, number>();
  const isIn: IsIn = (name) => (depths.get(name) ?? 0) > 0;
  const step = (written: string, by: 1 | -1): string => {
    const name = local(written);
    depths.set(name, (depths.get(name) ?? 0) + by);
    return name;
  };
  const parser = new Parser(
    {
      onopentag(written, attributes) {
        const entries = Object.entries(attributes).map(([key, value]) => [local(key), value]);
        const name = step(written, 1);
        walker.open?.(name, Object.fromEntries(entries), isIn);
      },
      onclosetag(written) {
        const name = step(written, -1);
        walker.close?.(name, isIn);
      },
      ontext: (text) => walker.text?.(text, isIn),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

/**
 * The elements of a name, inside another if one is given, in order: their attributes, and the text in them without
 * phonetic hints.
 */
export function elementsIn(xml: string, name: string, inside?: string) {
  const elements: { readonly attributes: Attributes; text: string }[] = [];
  walk(xml, {
    open(opened, attributes, isIn) {
      if (opened === name && (inside === undefined || isIn(inside))) elements.push({ attributes, text: '' });
    },
    text(text, isIn) {
      const element = elements.at(-1);
      if (element !== undefined && isIn(name) && isIn('t') && !isIn('rPh')) element.text += text;
    },
  });
  return elements;
}

/** The attributes of each relation to another part or an address, by its id. */
export function relationsIn(xml: string): ReadonlyMap<string, Attributes> {
  return new Map(elementsIn(xml, 'Relationship').map(({ attributes }) => [attributes.Id ?? '', attributes]));
}

/** A part that another one refers to. */
export interface Related {
  readonly kind: string;
  readonly path: string;
}

/** The parts that a part refers to, by the ids of its relations. Programs other than Excel name parts as they like. */
export function relatedTo(path: string, part: OfficeArchive['part']): ReadonlyMap<string, Related> {
  const folder = posix.dirname(`/${path}`);
  const written = relationsIn(part(posix.join(folder, '_rels', `${posix.basename(path)}.rels`).slice(1)));
  return new Map(
    [...written].map(([id, { Type = '', Target = '' }]) => {
      return [id, { kind: posix.basename(Type), path: posix.resolve(folder, Target).slice(1) }];
    }),
  );
}
