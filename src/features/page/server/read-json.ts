import { type JsonValue, parseJson } from '../../../lib/json.ts';
import type { Words } from '../../../lib/words.ts';
import { serverWords } from './words.ts';

export type ReadJson = { readonly body: JsonValue } | { readonly status: 400 | 413 | 415; readonly words: Words };

/** Reads the body of a request, `longest` bytes at most. Pages of others cannot send this type without being asked first. */
export async function readJson(request: Request, longest: number): Promise<ReadJson> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    return { status: 415, words: (language) => serverWords[language].notJson };
  const text = await textWithin(request, longest);
  if (text === undefined) return { status: 413, words: (language) => serverWords[language].tooLong };
  const body = parseJson(text);
  return body === undefined ? { status: 400, words: (language) => serverWords[language].notJson } : { body };
}

/** What is too long is read on for a while: a browser that is still sending would not see the answer. */
const patience = 16;

async function textWithin({ body }: Request, longest: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > patience * longest) return undefined;
    if (length <= longest) chunks.push(chunk);
  }
  return length > longest ? undefined : Buffer.concat(chunks).toString('utf8');
}
