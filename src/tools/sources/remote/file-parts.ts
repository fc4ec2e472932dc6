import type { ResultChunk } from './device-link.ts';

const mostParts = 10;
const longestPartName = 64;

/** The files of a result that come in pieces. */
export class ResultParts {
  readonly #maxBytes: number;
  readonly #parts = new Map<string, { readonly pieces: Buffer[]; isWhole: boolean }>();
  #size = 0;

  /** `maxBytes`: of all of them together. */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** Takes a piece. Says why it cannot be taken. */
  add({ part, index, data, last }: Omit<ResultChunk, 'id'>): string | undefined {
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

  /** The whole file; undefined if it is not whole, or was never begun. */
  get(part: string): Buffer | undefined {
    const known = this.#parts.get(part);
    return known?.isWhole === true ? Buffer.concat(known.pieces) : undefined;
  }
}

/** The bytes; undefined if the text is no base64. */
export function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, 'base64') : undefined;
}

/** Why a result is not taken that is larger than that, in bytes. */
export function tooLarge(maxBytes: number): string {
  return `it is larger than ${maxBytes} bytes, which is all that is taken of one result`;
}
