import { isJsonObject, type JsonValue, parseJson } from '../lib/json.ts';

/** What a server says of a failure in the body of its answer, whatever it calls it. Undefined for a page, or for nothing. */
export function wordsIn(body: string | undefined): string | undefined {
  if (body === undefined || body.length > longestBody) return undefined;
  const value = parseJson(body);
  return wordsOf(value === undefined && !body.trimStart().startsWith('<') ? body : value);
}

/** Beyond it, nobody has words for a failure, in characters. */
const longestBody = 20_000;

/** The words in a failure that came as data. */
export function wordsOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (Array.isArray(value)) return wordsOf(value[0]);
  if (!isJsonObject(value)) return undefined;
  for (const key of ['error', 'message', 'detail', 'msg']) {
    const words = wordsOf(value[key]);
    if (words !== undefined) return words;
  }
  return undefined;
}
