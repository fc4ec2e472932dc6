import type { IncomingMessage } from 'node:http';
import { badRequest } from './refusal.ts';

/** What a bot asks for, whichever way it was encoded. */
export interface ApiRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** By the name of the form's part. */
  readonly uploads: ReadonlyMap<string, Upload>;
}

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Reads the query string and the body: JSON, a form, or a form with files. Throws a refusal if it cannot. */
export async function readApiRequest(request: IncomingMessage, url: URL): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = parseBody(Buffer.concat(chunks), request.headers['content-type'] ?? '');
  return { params: { ...Object.fromEntries(url.searchParams), ...body.params }, uploads: body.uploads };
}

function parseBody(body: Buffer, contentType: string): ApiRequest {
  if (body.length === 0) return { params: {}, uploads: new Map() };
  if (contentType.startsWith('application/json')) return { params: parseJson(body.toString()), uploads: new Map() };
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return { params: Object.fromEntries(new URLSearchParams(body.toString())), uploads: new Map() };
  }
  const boundary = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;]+))/.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) throw badRequest(`can't read a body of the type "${contentType}"`);
  return parseForm(body, name);
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw badRequest("can't parse JSON object");
  }
}

function parseForm(body: Buffer, boundary: string): ApiRequest {
  const params: Record<string, unknown> = {};
  const uploads = new Map<string, Upload>();
  // latin1 keeps every byte as one character.
  const parts = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1);
  for (const part of parts) {
    const end = part.indexOf('\r\n\r\n');
    const head = Buffer.from(part.slice(0, end), 'latin1').toString();
    const content = Buffer.from(part.slice(end + 4), 'latin1');
    const name = attribute(head, 'name');
    if (end === -1 || name === undefined) throw badRequest("can't parse a part of the form");
    const fileName = attribute(head, 'filename');
    if (fileName === undefined) params[name] = content.toString();
    else uploads.set(name, { name: fileName, bytes: content });
  }
  return { params, uploads };
}

/** As the real server reads it: up to a semicolon, even one within quotes; then without the spaces and quotes around it. */
function attribute(head: string, name: string): string | undefined {
  const match = new RegExp(`[;\\s]${name}=([^;\\r\\n]*)`, 'i').exec(head);
  return match?.[1]?.trim().replace(/^"(.*)"$/, '$1');
}
