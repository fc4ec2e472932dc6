import type { InboundAttachment } from '../../../contract.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';

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

export type FileParts = ReturnType<typeof fileParts>;

/** The files that a device sends in pieces, until they are whole. `maxBytes`: of all of them together. */
export function fileParts(maxBytes: number) {
  const parts = new Map<string, { readonly pieces: Buffer[]; isWhole: boolean }>();
  let size = 0;

  function whole(name: string): Buffer | undefined {
    const known = parts.get(name);
    return known?.isWhole === true ? Buffer.concat(known.pieces) : undefined;
  }

  return {
    /** How many bytes of them are here. */
    size: (): number => size,

    /** Takes a piece. Says why it cannot be taken. */
    add({ part, index, data, last }: FilePiece): string | undefined {
      const known = parts.get(part);
      const pieces: Buffer[] = known?.pieces ?? [];
      if (known?.isWhole === true || index !== pieces.length) return 'the pieces of a file came out of order';
      if (part === '' || part.length > longestPartName) return 'a part has no name, or one that is too long';
      if (known === undefined && parts.size >= mostParts) return `it has more than ${mostParts} parts`;
      const bytes = fromBase64(data);
      if (bytes === undefined) return 'a piece of a file is no base64';
      size += bytes.length;
      if (size > maxBytes) return tooLarge(maxBytes);
      pieces.push(bytes);
      parts.set(part, { pieces, isWhole: last });
      return undefined;
    },

    /**
     * The file that an item speaks of, which has its `data` in base64 or names the `part` that came before. Undefined if
     * that is missing, not whole, or no base64.
     */
    fileOf({ type, media_type: mediaType, name, data, part }: JsonObject): SentFile | undefined {
      const bytes = typeof part === 'string' ? whole(part) : typeof data === 'string' ? fromBase64(data) : undefined;
      if (bytes === undefined) return undefined;
      return {
        name: typeof name === 'string' && name !== '' ? name : String(type),
        mediaType: typeof mediaType === 'string' ? mediaType : 'application/octet-stream',
        bytes,
      };
    },
  };
}

function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, 'base64') : undefined;
}

/** Why what is larger than that is not taken, in bytes. */
export function tooLarge(maxBytes: number): string {
  return `it is larger than ${maxBytes} bytes, which is all that is taken at once`;
}

/** A file that came with a message; its name and its type, where the device says so. */
export interface ArrivedFile {
  readonly kind: InboundAttachment['kind'];
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly bytes: Uint8Array;
}

const kinds = ['image', 'voice', 'audio', 'video', 'file'] as const satisfies readonly InboundAttachment['kind'][];
const mostFiles = 10;
/** No system has longer ones, in UTF-16 units: of those, the end is kept, which says what they are. */
const longestName = 255;

/** The files of the next message of a socket: their pieces come before it. `maxBytes`: of one message. */
export function arrivingFiles(maxBytes: number) {
  let parts = fileParts(maxBytes);
  let fault: string | undefined;
  return {
    /** How many bytes wait for their message. */
    size: (): number => parts.size(),

    /** Takes a piece. A fault is told when the message is there. `room`: for how many bytes there is some. */
    add(piece: FilePiece, room: number): void {
      if (fault !== undefined) return;
      // In base64, two characters at most stand for nothing.
      const isTooMuch = Math.floor(piece.data.length * 0.75) - 2 > room;
      fault = isTooMuch ? 'more is on its way from your devices than is taken at once' : parts.add(piece);
      if (fault !== undefined) parts = fileParts(maxBytes);
    },

    /** The files of the message that is here now, or why they cannot be taken, as half a sentence. The pieces are gone then. */
    take(items: readonly JsonValue[]): readonly ArrivedFile[] | string {
      const [came, why] = [parts, fault];
      parts = fileParts(maxBytes);
      fault = undefined;
      if (items.length === 0) return [];
      if (why !== undefined) return why;
      if (items.length > mostFiles) return `it has more than ${mostFiles} attachments`;
      const files = items.map((item) => fileOf(item, came));
      const missing = files.find((file) => typeof file === 'string');
      if (missing !== undefined) return missing;
      const taken = files.filter((file) => typeof file !== 'string');
      const size = taken.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return size > maxBytes ? tooLarge(maxBytes) : taken;
    },
  };
}

function fileOf(item: JsonValue, parts: FileParts): ArrivedFile | string {
  if (!isJsonObject(item)) return 'an attachment is an object';
  const kind = kinds.find((one) => one === item.type);
  if (kind === undefined) return `the "type" of an attachment is one of ${kinds.join(', ')}`;
  const file = parts.fileOf(item);
  if (file === undefined) return 'a file of it is missing, not whole, or no base64';
  const { name, media_type: type } = item;
  const isType = typeof type === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type);
  return {
    kind,
    bytes: file.bytes,
    name: typeof name === 'string' && name !== '' ? name.slice(-longestName).toWellFormed() : undefined,
    mediaType: isType ? type : undefined,
  };
}
