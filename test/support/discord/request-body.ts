import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** What a bot sends with a request. */
export interface RequestBody {
  /** Undefined if there is no body. */
  readonly json: unknown;
  /** By the number in `files[n]`. */
  readonly uploads: ReadonlyMap<number, Upload>;
}

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mediaType: string;
}

const largestFile = 10 * 2 ** 20;
const largestRequest = 25 * 2 ** 20;

/** Reads JSON, or a form with `payload_json` and files. Throws a refusal if it cannot. */
export async function readRequestBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks);
  if (body.length > largestRequest) throw tooLarge();
  if (body.length === 0) return { json: undefined, uploads: new Map() };
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('application/json')) return { json: parseJson(body.toString()), uploads: new Map() };
  const boundary = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;]+))/.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  const words = "Expected \"Content-Type\" header to be one of {'application/json', 'multipart/form-data'}.";
  if (name === undefined) throw new Refusal(400, 50035, words);
  return parseForm(body, name);
}

function tooLarge(): Refusal {
  return new Refusal(413, 40005, 'Request entity too large');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 50109, 'The request body contains invalid JSON.');
  }
}

function parseForm(body: Buffer, boundary: string): RequestBody {
  let json: unknown;
  const uploads = new Map<number, Upload>();
  // latin1 keeps every byte as one character.
  const parts = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1);
  for (const part of parts) {
    const end = part.indexOf('\r\n\r\n');
    if (end === -1) throw new Refusal(400, 50035, 'Invalid Form Body');
    const head = Buffer.from(part.slice(0, end), 'latin1').toString();
    const content = Buffer.from(part.slice(end + 4), 'latin1');
    const number = /[;\s]name="files\[(\d+)\]"/i.exec(head)?.[1];
    if (/[;\s]name="payload_json"/i.test(head)) json = parseJson(content.toString());
    else if (number !== undefined) uploads.set(Number(number), uploadOf(head, content));
  }
  return { json, uploads };
}

function uploadOf(head: string, bytes: Buffer): Upload {
  const name = /[;\s]filename="([^"]*)"/i.exec(head)?.[1] ?? 'unknown.bin';
  const mediaType = /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? 'application/octet-stream';
  if (bytes.length > largestFile) throw tooLarge();
  return { name: decodeURIComponent(name), bytes, mediaType };
}
