import type { InboundAttachment } from '../../../contract.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';

/** A piece of a file that is too large for one frame. */
export interface FilePiece {
  /** The name by which a later frame refers to the file. */
  readonly part: string;
  /** From 0, without gaps. */
  readonly index: number;
  /** In base64. */
  readonly data: string;
  readonly last: boolean;
}

const mostParts = 10;
const longestPartName = 64;

interface Part {
  readonly pieces: Buffer[];
  readonly isWhole: boolean;
}

/** Assembles files that a device sends in pieces. */
export class FileParts {
  readonly #parts = new Map<string, Part>();
  readonly #maxBytes: number;
  #size = 0;

  /** `maxBytes`: for all of them together. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes held so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds a piece. Returns why it is refused; undefined if it is taken. */
  add({ part, index, data, last }: FilePiece): string | undefined {
    const known = this.#parts.get(part);
    const pieces: Buffer[] = known?.pieces ?? [];
    if (known?.isWhole === true || index !== pieces.length) return 'the pieces of a file came out of order';
    if (part === '' || part.length > longestPartName) return 'a part has no name, or one that is too long';
    if (known === undefined && this.#parts.size >= mostParts) return `it has more than ${mostParts} parts`;
    const bytes = fromBase64(data);
    if (bytes === undefined) return 'a piece of a file is no base64';
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) return tooLarge(this.#maxBytes);
    pieces.push(bytes);
    this.#parts.set(part, { pieces, isWhole: last });
    return undefined;
  }

  /** The file in an item's `data` (base64) or earlier `part`; undefined if missing, incomplete or not base64. */
  bytesOf({ data, part }: JsonObject): Buffer | undefined {
    if (typeof part !== 'string') return typeof data === 'string' ? fromBase64(data) : undefined;
    const known = this.#parts.get(part);
    return known?.isWhole === true ? Buffer.concat(known.pieces) : undefined;
  }
}

function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, 'base64') : undefined;
}

/** Why a larger file is refused. In bytes. */
export function tooLarge(maxBytes: number): string {
  return `it is larger than ${maxBytes} bytes, which is all that is taken at once`;
}

export const notWhole = 'a file of it is missing, not whole, or no base64';

/** A file of a message, with name and type if the device gives them. */
export interface ArrivedFile extends Pick<InboundAttachment, 'kind' | 'name' | 'mediaType'> {
  readonly bytes: Uint8Array;
}

const kinds = ['image', 'voice', 'audio', 'video', 'file'] as const satisfies readonly InboundAttachment['kind'][];
const mostFiles = 10;
/** The longest name on any file system, in UTF-16 units. The end is kept, since it holds the extension. */
const longestName = 255;

/** The files of a socket's next message: the pieces arrive first. */
export class ArrivingFiles {
  readonly #maxBytes: number;
  #parts: FileParts;
  #fault: string | undefined;

  /** `maxBytes`: per message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#parts = new FileParts(maxBytes);
  }

  /** Bytes that wait for their message. */
  get size(): number {
    return this.#parts.size;
  }

  /** Adds a piece. A fault is reported with the message. `room`: bytes that may still be held. */
  add(piece: FilePiece, room: number): void {
    if (this.#fault !== undefined) return;
    // Base64 ends with at most two padding characters.
    const isTooMuch = Math.floor(piece.data.length * 0.75) - 2 > room;
    this.#fault = isTooMuch ? 'more is on its way from your devices than is taken at once' : this.#parts.add(piece);
    if (this.#fault !== undefined) this.#parts = new FileParts(this.#maxBytes);
  }

  /** The files of the current message, or why they are refused, as half a sentence. Clears the pieces. */
  take(items: readonly JsonValue[]): readonly ArrivedFile[] | string {
    const [parts, fault] = [this.#parts, this.#fault];
    this.#parts = new FileParts(this.#maxBytes);
    this.#fault = undefined;
    if (items.length === 0) return [];
    return fault ?? filesOf(items, parts, this.#maxBytes);
  }
}

function filesOf(items: readonly JsonValue[], parts: FileParts, maxBytes: number): readonly ArrivedFile[] | string {
  if (items.length > mostFiles) return `it has more than ${mostFiles} attachments`;
  const files: ArrivedFile[] = [];
  for (const item of items) {
    const file = fileOf(item, parts);
    if (typeof file === 'string') return file;
    files.push(file);
  }
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0) > maxBytes ? tooLarge(maxBytes) : files;
}

function fileOf(item: JsonValue, parts: FileParts): ArrivedFile | string {
  if (!isJsonObject(item)) return 'an attachment is an object';
  const kind = kinds.find((one) => one === item.type);
  if (kind === undefined) return `the "type" of an attachment is one of ${kinds.join(', ')}`;
  const bytes = parts.bytesOf(item);
  if (bytes === undefined) return notWhole;
  const { name, media_type: type } = item;
  const isType = typeof type === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type);
  return {
    kind,
    bytes,
    name: typeof name === 'string' && name !== '' ? name.slice(-longestName).toWellFormed() : undefined,
    mediaType: isType ? type : undefined,
  };
}
