import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { basename, extname } from 'node:path/posix';
import { buffer } from 'node:stream/consumers';
import { parseJson } from '../json.ts';
import { Refusal } from './refusal.ts';
import type { DiscordTimes } from './times.ts';

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** What a bot sends with a request. */
export interface RequestBody {
  /** Undefined if there is no body. */
  readonly json: unknown;
  readonly uploads: readonly Upload[];
}

/** One request, as far as its route cares. */
export interface RouteRequest extends RequestBody {
  /** What stands in the path for the names of the template. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** A file of a message. */
export interface StoredFile extends Upload {
  readonly id: string;
  readonly channelId: string;
  /** What it was called before Discord changed the name. */
  readonly title: string;
}

const largestFile = 10 * 2 ** 20;
const mostFiles = 10;

/** Reads JSON, or a form with `payload_json` and files. Throws a refusal if it cannot. */
export async function readRequestBody(request: IncomingMessage): Promise<RequestBody> {
  const body = await buffer(request);
  const contentType = request.headers['content-type'] ?? '';
  if (body.length === 0) return { json: undefined, uploads: [] };
  if (contentType.startsWith('application/json')) return { json: jsonIn(body.toString()), uploads: [] };
  if (!contentType.startsWith('multipart/form-data'))
    throw new Refusal(400, 50035, 'Expected "Content-Type" to be application/json or multipart/form-data.');
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const files = [...form].flatMap(([name, value]) =>
    typeof value === 'string' || !/^files\[\d+\]$/.test(name) ? [] : [value],
  );
  if (files.length > mostFiles) throw new Refusal(400, 30015, 'Maximum number of attachments reached (10)');
  if (files.some(({ size }) => size > largestFile)) throw new Refusal(413, 40005, 'Request entity too large');
  const uploads = files.map(async (file): Promise<Upload> => {
    const mediaType = file.type || 'application/octet-stream';
    return { name: file.name, bytes: Buffer.from(await file.arrayBuffer()), mediaType };
  });
  return { json: jsonIn(String(form.get('payload_json') ?? '{}')), uploads: await Promise.all(uploads) };
}

function jsonIn(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new Refusal(400, 50109, 'The request body contains invalid JSON.');
  return value;
}

/** Everything that was uploaded, behind addresses that are signed and do not last. */
export class Attachments {
  readonly #files = new Map<string, StoredFile>();
  readonly #times: DiscordTimes;
  readonly #now: () => number;
  /** Where the server is, without a slash at the end. */
  origin = '';

  constructor(times: DiscordTimes, now: () => number) {
    this.#times = times;
    this.#now = now;
  }

  add(id: string, channelId: string, { name, ...upload }: Upload): StoredFile {
    const file = { ...upload, id, channelId, name: safeName(name), title: name };
    this.#files.set(pathOf(file), file);
    return file;
  }

  forget(): void {
    this.#files.clear();
  }

  /** The file as a message carries it, with an address that is good from now on. */
  wire(file: StoredFile) {
    const path = encodeURI(pathOf(file));
    const until = Math.ceil((this.#now() + this.#times.attachment) / 1000).toString(16);
    const { id, name: filename, title, mediaType: content_type, bytes } = file;
    const url = `${this.origin}${path}?ex=${until}&is=0&hm=${signature(path, until)}&`;
    const renamed = title !== filename && { title: basename(title, extname(title)) };
    return { id, filename, size: bytes.length, url, proxy_url: url, content_type, ...renamed };
  }

  /** The file at the address; undefined if there is none, or if its time is over, or if nobody has signed it. */
  at({ pathname, searchParams }: URL): StoredFile | undefined {
    const until = searchParams.get('ex') ?? '';
    const isSigned = searchParams.get('hm') === signature(pathname, until);
    const isOver = Number.parseInt(until, 16) * 1000 <= this.#now();
    return isSigned && !isOver ? this.#files.get(decodeURI(pathname)) : undefined;
  }
}

function pathOf({ channelId, id, name }: StoredFile): string {
  return `/attachments/${channelId}/${id}/${name}`;
}

/** Discord puts `_` for spaces and leaves out what is no letter, digit, dot, dash or underscore. */
function safeName(name: string): string {
  return name.replaceAll(' ', '_').replaceAll(/[^\p{L}\p{N}._-]/gu, '') || 'unknown';
}

function signature(path: string, until: string): string {
  return createHmac('sha256', 'the key of the fake').update(`${path} ${until}`).digest('hex');
}
