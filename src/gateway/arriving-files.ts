import type { InboundAttachment } from '../contract.ts';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { FileParts, type FilePiece, tooLarge } from '../tools/sources/remote/file-parts.ts';

/** A file that came with a message; its name and its type, where the device says so. */
export interface ArrivedFile extends Pick<InboundAttachment, 'kind' | 'name' | 'mediaType'> {
  readonly bytes: Uint8Array;
}

const kinds = ['image', 'voice', 'audio', 'video', 'file'] as const satisfies readonly InboundAttachment['kind'][];
const mostFiles = 10;
/** No system has longer ones, in UTF-16 units: of those, the end is kept, which says what they are. */
const longestName = 255;

/** The files of the next message of a socket: their pieces come before it. */
export class ArrivingFiles {
  readonly #maxBytes: number;
  #parts: FileParts;
  #fault: string | undefined;

  /** `maxBytes`: of one message. */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
    this.#parts = new FileParts({ maxBytes });
  }

  /** How much waits for its message, in bytes. */
  get size(): number {
    return this.#parts.size;
  }

  /** Takes a piece. What is wrong with it is said when the message is there. `room`: for how many bytes there is some. */
  add(piece: FilePiece, room: number): void {
    if (this.#fault !== undefined) return;
    // In base64, two characters at most stand for nothing.
    const isTooMuch = Math.floor(piece.data.length * 0.75) - 2 > room;
    this.#fault = isTooMuch ? 'more is on its way from your devices than is taken at once' : this.#parts.add(piece);
    if (this.#fault !== undefined) this.#parts = new FileParts({ maxBytes: this.#maxBytes });
  }

  /** The files of the message that is here now, or why they cannot be taken, as half a sentence. What came before is over. */
  take(items: readonly JsonValue[]): readonly ArrivedFile[] | string {
    const [parts, fault] = [this.#parts, this.#fault];
    this.#parts = new FileParts({ maxBytes: this.#maxBytes });
    this.#fault = undefined;
    if (items.length === 0) return [];
    if (fault !== undefined) return fault;
    if (items.length > mostFiles) return `it has more than ${mostFiles} attachments`;
    const files = items.map((item) => read(item, parts));
    const missing = files.find((file) => typeof file === 'string');
    if (missing !== undefined) return missing;
    const taken = files.filter((file) => typeof file !== 'string');
    const size = taken.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return size > this.#maxBytes ? tooLarge(this.#maxBytes) : taken;
  }
}

function read(item: JsonValue, parts: FileParts): ArrivedFile | string {
  if (!isJsonObject(item)) return 'an attachment is an object';
  const kind = kinds.find((one) => one === item.type);
  if (kind === undefined) return `the "type" of an attachment is one of ${kinds.join(', ')}`;
  const file = parts.fileOf(item);
  if (file === undefined) return 'a file of it is missing, not whole, or no base64';
  const { name, media_type: mediaType } = item;
  return {
    kind,
    bytes: file.bytes,
    ...(typeof name === 'string' && name !== '' ? { name: name.slice(-longestName).toWellFormed() } : {}),
    ...(typeof mediaType === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType) ? { mediaType } : {}),
  };
}
