import { z } from 'zod';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { wordsInput } from '../../arguments.ts';
import { WebError } from '../../guard/network/network-rules.ts';
import type { WebAccess, WebRequest, WebResponse } from '../../guard/network/web-client.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { defineBuiltin, type Tool } from '../../tool.ts';
import type { BuiltinSettings } from '../settings.ts';
import { builtinWords } from '../words.ts';
import type { PageDocument } from './read-html.ts';

/** More than any list of results, in bytes. */
const mostBytes = 2_097_152;

/** Searches the web with the operator's engine. Sends requests to that engine's origin only. */
export function webSearch(
  web: () => Promise<Pick<WebAccess, 'client'>>,
  { web_search }: Pick<BuiltinSettings, 'web_search'>,
): Tool {
  const engine: SearchEngine = engines[web_search.engine];
  const { title } = engine;
  const { base_url: baseUrl, api_key: key } = web_search;
  const setUp = { base: (baseUrl ?? engine.base ?? '').replace(/\/+$/, ''), key };
  return defineBuiltin({
    name: 'web_search',
    displayName: (language) => builtinWords[language].names.web_search,
    category: 'network_read',
    description:
      'Searches the web and lists titles, addresses and snippets. Use it for what is recent or what you do not know for certain. To read a result, use web_fetch.',
    input: z.strictObject({
      query: wordsInput(1_000, 'What to look for, as one would type it.'),
      count: z.number().int().min(1).max(10).default(5).describe('How many results.'),
    }),
    describeCall:
      ({ query }) =>
      (language) =>
        builtinWords[language].searchWeb({ engine: title, query: inlineCode(oneLine(query, 200)) }),
    facets: () => ({ trustedHost: baseUrl !== undefined || key !== '' }),
    execute: (search, { signal }) => searchBy(search, signal, { web, engine, setUp, settings: web_search }),
  });
}

interface SearchContext {
  readonly web: () => Promise<Pick<WebAccess, 'client'>>;
  readonly engine: SearchEngine;
  readonly setUp: SetUp;
  readonly settings: BuiltinSettings['web_search'];
}

async function searchBy(
  { query, count }: { readonly query: string; readonly count: number },
  signal: AbortSignal,
  { web, engine, setUp, settings }: SearchContext,
): Promise<ToolOutput> {
  const { title } = engine;
  const request = engine.request({ query, count }, setUp);
  const { origin, hostname } = new URL(request.url);
  const limits = {
    timeout: settings.timeout_secs * 1000,
    maxBytes: mostBytes,
    refuse: (url: URL) => (url.origin === origin ? undefined : `${title} sends searches elsewhere.`),
    operatorOrigin: settings.base_url && origin,
  };
  try {
    const { client } = await web();
    const answer = await engine.read(await client({ ...request, ...limits }, signal), title);
    if (typeof answer === 'string') return error(answer);
    return report(answer.filter(({ url }) => isWebAddress(url)).slice(0, count), { title, query, hostname });
  } catch (cause) {
    if (cause instanceof WebError) return error(`${title} could not be asked. ${cause.message}`);
    throw cause;
  }
}

interface Search {
  readonly title: string;
  readonly query: string;
  /** The author of the results, as far as we know. */
  readonly hostname: string;
}

function report(results: readonly SearchResult[], { title, query, hostname }: Search): ToolOutput {
  const asked = JSON.stringify(oneLine(query, 200));
  if (results.length === 0) return llmOnly(`[${title} found nothing for ${asked}: try other words]`);
  const heading = `[${results.length === 1 ? '1 result' : `${results.length} results`} of ${title} for ${asked}]`;
  return { ...llmOnly([heading, ...results.map(describeResult)].join('\n\n')), untrusted: hostname };
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && url.length <= 2_000 && URL.canParse(url);
}

function describeResult({ title, url, snippet }: SearchResult, index: number): string {
  const [heading, text] = [title, snippet].map((part) => part.replace(/\s+/g, ' ').trim());
  const lines = [oneLine(heading ?? '', 200) || '(without a title)', new URL(url).href, oneLine(text ?? '', 600)];
  return `${index + 1}. ${lines.filter((line) => line !== '').join('\n   ')}`;
}

interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

interface SetUp {
  readonly base: string;
  readonly key: string;
}

interface SearchEngine {
  readonly title: string;
  readonly base?: string;
  request(
    search: { readonly query: string; readonly count: number },
    setUp: SetUp,
  ): Pick<WebRequest, 'url' | 'method' | 'headers' | 'body'>;
  /** The results, or why there are none. */
  read(response: WebResponse, title: string): SearchAnswer | Promise<SearchAnswer>;
}

type SearchAnswer = readonly SearchResult[] | string;

const json = { accept: 'application/json' };

const engines = {
  /** The page for browsers without scripts. It blocks what it takes for a program. */
  duckduckgo: {
    title: 'DuckDuckGo',
    base: 'https://html.duckduckgo.com',
    request: ({ query }, { base }) => ({
      url: endpoint(`${base}/html/`, { q: query }),
      headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (compatible; Keyturn)' },
    }),
    read: readDuckduckgo,
  },
  brave: {
    title: 'Brave',
    base: 'https://api.search.brave.com',
    request: ({ query, count }, { base, key }) => ({
      url: endpoint(`${base}/res/v1/web/search`, { q: query, count: String(count) }),
      headers: { ...json, 'x-subscription-token': key },
    }),
    async read(response, title) {
      // Brave reports an unknown key like this.
      const isWrongKey = response.status === 422 && response.body.includes('SUBSCRIPTION_TOKEN');
      // Without results there is no list.
      const listIn = ({ web }: JsonObject): unknown => (isJsonObject(web) ? web.results : []);
      const answer = readJsonResults(isWrongKey ? { ...response, status: 401 } : response, title, listIn);
      if (typeof answer === 'string') return answer;
      // Brave marks the search terms with HTML.
      const { plainHtml } = await import('./plain-html.ts');
      const plain = (text: string): string => plainHtml(text).text;
      return answer.map(({ title, url, snippet }) => ({ title: plain(title), url, snippet: plain(snippet) }));
    },
  },
  /** A self-hosted instance, maybe behind a proxy that wants a token. */
  searxng: {
    title: 'SearXNG',
    request: ({ query }, { base, key }) => ({
      url: endpoint(`${base}/search`, { q: query, format: 'json' }),
      headers: key === '' ? json : { ...json, authorization: `Bearer ${key}` },
    }),
    read: (response, title) =>
      response.status === 403
        ? 'This SearXNG gives no JSON. The operator has to add "json" to search.formats in its settings.yml.'
        : readJsonResults(response, title),
  },
  tavily: {
    title: 'Tavily',
    base: 'https://api.tavily.com',
    request: ({ query, count }, { base, key }) => ({
      url: endpoint(`${base}/search`, {}),
      method: 'POST',
      headers: { ...json, 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: count, search_depth: 'basic' }),
    }),
    read: (response, title) =>
      response.status === 432 || response.status === 433
        ? `Tavily's plan is used up. The operator has to extend it, or to wait for the next month.`
        : readJsonResults(response, title),
  },
} as const satisfies Record<BuiltinSettings['web_search']['engine'], SearchEngine>;

function endpoint(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

async function readDuckduckgo({ status, body }: WebResponse): Promise<SearchAnswer> {
  const page = body.toString();
  const results = status === 200 ? await resultsIn(page) : [];
  if (results.length > 0) return results;
  // The check for a human comes with a success status.
  if (status === 202 || status === 403 || status === 429 || /anomaly-modal|challenge-form/.test(page))
    return `DuckDuckGo takes this for a program and wants to see a person, so there are no results. ${otherEngines}`;
  if (status === 200 && page.includes('no-results')) return results;
  return `DuckDuckGo answered with a page that is no list of results (status ${status}). ${otherEngines}`;
}

const otherEngines =
  'The operator can set up an engine that is made for programs, in tools.web_search: brave or tavily with an api_key, or searxng with a base_url.';

async function resultsIn(page: string): Promise<readonly SearchResult[]> {
  const { parseHTML } = await import('linkedom');
  const { document }: { document: PageDocument } = parseHTML(page);
  return [...document.querySelectorAll('.result:not(.result--ad)')].flatMap((element) => {
    const link = element.querySelector('a.result__a');
    const url = targetOf(link?.getAttribute('href') ?? '');
    if (url === undefined) return [];
    const snippet = element.querySelector('.result__snippet')?.textContent ?? '';
    return [{ title: link?.textContent ?? '', url, snippet }];
  });
}

/** Results link to a redirect page of DuckDuckGo, with the address as a parameter. Advertisements do not. */
function targetOf(href: string): string | undefined {
  const url = URL.parse(href, 'https://duckduckgo.com');
  if (url === null || href === '') return undefined;
  return url.hostname.endsWith('duckduckgo.com') ? (url.searchParams.get('uddg') ?? undefined) : url.href;
}

/** Reads a JSON answer: the valid results in the engine's order, or why there are none. */
function readJsonResults(
  { status, body, truncated }: WebResponse,
  title: string,
  listIn = ({ results }: JsonObject): unknown => results,
): SearchAnswer {
  if (status === 401 || status === 403)
    return `${title} does not accept the key. The operator has to check tools.web_search.api_key.`;
  if (status === 429) return `${title} takes no more searches for now: its limit is reached. Try again later.`;
  if (status >= 500) return `${title} is out of order (status ${status}). Try again later.`;
  if (status !== 200) return `${title} refused the search (status ${status}). Try other words.`;
  const answer = truncated ? undefined : parseJson(body.toString());
  const list = isJsonObject(answer) ? listIn(answer) : undefined;
  if (!Array.isArray(list))
    return `${title} answered with something that is no list of results. The operator may have a wrong base_url.`;
  return list.flatMap((value) => {
    const { success, data } = resultForm.safeParse(value);
    return success ? [{ title: data.title, url: data.url, snippet: data.description ?? data.content ?? '' }] : [];
  });
}

const resultForm = z.object({
  title: z.string().catch(''),
  url: z.string(),
  description: z.string().optional().catch(undefined),
  content: z.string().optional().catch(undefined),
});
