import { inflateRawSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { DocumentError } from './document.ts';

/** The limits of an archive: its number of files, and their unpacked size together, in bytes. */
const mostFiles = 10_000;
const mostBytes = 150 * 2 ** 20;

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

const broken = 'The document is broken: its archive (zip) cannot be read.';
const tooLarge = 'The document is refused: unpacked, it is far larger than a document of its kind should be.';

/** The entries of an archive. Throws `DocumentError` if it is no zip, or has too many. */
export function zipEntries(archive: Buffer): readonly ZipEntry[] {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end === -1 || end + 22 > archive.length) throw new DocumentError(broken);
  const count = archive.readUInt16LE(end + 10);
  if (count > mostFiles) throw new DocumentError(`The document holds ${count} files, which is too much to be read.`);
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

/**
 * The text of an Office document's part, by its path in any case; empty if there is none. Unpacks all XML at once, and
 * does not rely on the sizes that the archive states: unpacking ends at the limit. Throws `DocumentError`.
 */
export function officeParts(archive: Buffer): (path: string) => string {
  const parts = new Map<string, Buffer>();
  let left = mostBytes;
  for (const entry of zipEntries(archive)) {
    if (!/\.(?:xml|rels)$/i.test(entry.name)) continue;
    const content = contentOf(archive, entry, left);
    left -= content.length;
    parts.set(entry.name.toLowerCase(), content);
  }
  return (path) => parts.get(path.toLowerCase())?.toString() ?? '';
}

function contentOf(archive: Buffer, { method, packedSize, size, offset }: ZipEntry, most: number): Buffer {
  if (size > most) throw new DocumentError(tooLarge);
  if (offset + 30 > archive.length) throw new DocumentError(broken);
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  const packed = archive.subarray(start, start + packedSize);
  if (packed.length < packedSize || (method !== 0 && method !== 8)) throw new DocumentError(broken);
  if (method === 0) {
    if (packed.length > most) throw new DocumentError(tooLarge);
    return packed;
  }
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (cause) {
    const isBomb = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    throw new DocumentError(isBomb ? tooLarge : broken, { cause });
  }
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
  const step = (name: string, by: 1 | -1): void => void depths.set(name, (depths.get(name) ?? 0) + by);
  const parser = new Parser(
    {
      onopentag: (written, attributes) => {
        const entries = Object.entries(attributes).map(([key, value]) => [local(key), value]);
        const name = local(written);
        step(name, 1);
        walker.open?.(name, Object.fromEntries(entries), isIn);
      },
      onclosetag: (written) => {
        const name = local(written);
        step(name, -1);
        walker.close?.(name, isIn);
      },
      ontext: (text) => walker.text?.(text, isIn),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

/** The attributes of each relation to another part or an address, by its id. */
export function relationsIn(xml: string): ReadonlyMap<string, Attributes> {
  const relations = new Map<string, Attributes>();
  const open: Walker['open'] = (name, attributes) => {
    if (name === 'Relationship' && attributes.Id !== undefined) relations.set(attributes.Id, attributes);
  };
  walk(xml, { open });
  return relations;
}
