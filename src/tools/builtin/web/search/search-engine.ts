import { z } from 'zod';
import { isJsonObject, type JsonValue, parseJson } from '../../../../lib/json.ts';
import type { WebRequest, WebResponse } from '../../../guard/network/web-client.ts';

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export type SearchAnswer =
  | { readonly type: 'found'; readonly results: readonly SearchResult[] }
  /** It gave none, for that reason. */
  | { readonly type: 'refused'; readonly message: string };

/** A search engine, as the operator has set it up. */
export interface SearchEngine {
  /** What people call it. */
  readonly title: string;
  /** What the operator has to set before it can be used. */
  readonly lacks?: string;
  request(query: string, count: number): Pick<WebRequest, 'url' | 'method' | 'headers' | 'body'>;
  read(response: WebResponse): SearchAnswer | Promise<SearchAnswer>;
}

export interface EngineSettings {
  readonly apiKey: string;
  /** Where it is, if not at its maker's. */
  readonly baseUrl?: string;
}

export function endpoint(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** What an answer with this status means that is none of results; undefined for one that may have some. */
export function refusalOf(status: number, title: string): SearchAnswer | undefined {
  if (status === 200) return undefined;
  if (status === 401 || status === 403) {
    return refused(`${title} does not accept the key. The operator has to check tools.web_search.api_key.`);
  }
  if (status === 429) return refused(`${title} takes no more searches for now: its limit is reached. Try again later.`);
  if (status >= 500) return refused(`${title} is out of order (status ${status}). Try again later.`);
  return refused(`${title} refused the search (status ${status}). Try other words.`);
}

export function refused(message: string): SearchAnswer {
  return { type: 'refused', message };
}

/** What a JSON answer means: the results in the order of the engine, without what is none, or why there are none. */
export function readJsonResults(
  { status, body, truncated }: WebResponse,
  title: string,
  listIn: (answer: JsonValue) => unknown = resultsIn,
): SearchAnswer {
  const refusal = refusalOf(status, title);
  if (refusal !== undefined) return refusal;
  const answer = truncated ? undefined : parseJson(body.toString());
  const list = answer === undefined ? undefined : listIn(answer);
  if (!Array.isArray(list)) {
    return refused(
      `${title} answered with something that is no list of results. The operator may have a wrong base_url.`,
    );
  }
  return { type: 'found', results: list.flatMap(asResult) };
}

function resultsIn(answer: JsonValue): unknown {
  return isJsonObject(answer) ? answer.results : undefined;
}

function asResult(value: unknown): readonly SearchResult[] {
  const { success, data } = resultForm.safeParse(value);
  return success ? [{ title: data.title, url: data.url, snippet: data.description ?? data.content ?? '' }] : [];
}

const resultForm = z.object({
  title: z.string().catch(''),
  url: z.string(),
  description: z.string().optional().catch(undefined),
  content: z.string().optional().catch(undefined),
});
