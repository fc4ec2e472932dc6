import type { JsonObject } from '../../../lib/json.ts';

/** A piece of a file that is too large for one frame. */
export interface FilePiece {
  /** What the frame behind the last piece calls the file by. */
  readonly part: string;
  /** From 0 on, without a gap. */
  readonly index: number;
  /** In base64. */
  readonly data: string;
  readonly last: boolean;
}

/** Something that a device sends and that is no text: a picture, a recording, a file. */
export interface SentFile {
  /** What it is called, without a folder; it may be anything. */
  readonly name: string;
  /** What the device says that it is. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const mostParts = 10;
const longestPartName = 64;

/** The files that a device sends in pieces, until they are whole. */
export class FileParts {
  readonly #maxBytes: number;
  readonly #parts = new Map<string, { readonly pieces: Buffer[]; isWhole: boolean }>();
  #size = 0;

  /** `maxBytes`: of all of them together. */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** How much of them is here, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Takes a piece. Says why it cannot be taken. */
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

  /**
   * The file that an item speaks of, which has its `data` in base64 or names the `part` that came before. Undefined if
   * that is missing, not whole, or no base64.
   */
  fileOf({ type, media_type: mediaType, name, data, part }: JsonObject): SentFile | undefined {
    const bytes =
      typeof part === 'string' ? this.#whole(part) : typeof data === 'string' ? fromBase64(data) : undefined;
    if (bytes === undefined) return undefined;
    return {
      name: typeof name === 'string' && name !== '' ? name : String(type),
      mediaType: typeof mediaType === 'string' ? mediaType : 'application/octet-stream',
      bytes,
    };
  }

  #whole(part: string): Buffer | undefined {
    const known = this.#parts.get(part);
    return known?.isWhole === true ? Buffer.concat(known.pieces) : undefined;
  }
}

function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, 'base64') : undefined;
}

/** Why what is larger than that is not taken, in bytes. */
export function tooLarge(maxBytes: number): string {
  return `it is larger than ${maxBytes} bytes, which is all that is taken at once`;
}
