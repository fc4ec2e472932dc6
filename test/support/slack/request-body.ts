import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '../../../src/lib/json.ts';
import { Refusal } from './refusal.ts';

/** What the app asks for, whichever way it was encoded. */
export interface ApiRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** Without `Bearer`. */
  readonly token: string | undefined;
}

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** Reads the query string and the body: JSON, a form, or a form in parts. Throws a refusal if it cannot. */
export async function readApiRequest(request: IncomingMessage, url: URL): Promise<ApiRequest> {
  const body = await parseBody(await readBytes(request), request.headers['content-type'] ?? '');
  const { token, ...params } = { ...Object.fromEntries(url.searchParams), ...body };
  return { params, token: bearerOf(request) ?? (typeof token === 'string' ? token : undefined) };
}

async function parseBody(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  if (body.length === 0) return {};
  if (contentType.startsWith('application/json')) return parseJson(body.toString());
  if (/^(?:application\/x-www-form-urlencoded|multipart\/form-data)/.test(contentType)) {
    return parseForm(body, contentType);
  }
  throw new Refusal(contentType === '' ? 'missing_post_type' : 'invalid_post_type');
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Refusal('invalid_json');
  }
  throw new Refusal('json_not_object');
}

/** The text parts of a form. Throws a refusal if it is none. */
async function parseForm(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  const parts = await formOf(body, contentType);
  if (parts === undefined) throw new Refusal('invalid_form_data');
  return Object.fromEntries([...parts].filter(([, value]) => typeof value === 'string'));
}

/** The bytes of an upload: the body itself, or the one file of a form. */
export async function uploadedBytes(body: Buffer, contentType: string): Promise<Buffer> {
  if (!contentType.startsWith('multipart/form-data')) return body;
  for (const [, value] of (await formOf(body, contentType)) ?? []) {
    return typeof value === 'string' ? Buffer.from(value) : Buffer.from(await value.arrayBuffer());
  }
  return Buffer.alloc(0);
}

async function formOf(body: Buffer, contentType: string) {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
