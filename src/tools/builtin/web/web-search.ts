import { z } from 'zod';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { type WebAccess, WebError, type WebRequest, type WebResponse } from '../../guard/network/web-client.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { defineTool, type Tool } from '../../tool.ts';

export interface WebSearchSettings extends EngineSettings {
  readonly engine: 'duckduckgo' | 'brave' | 'searxng' | 'tavily';
  /** In milliseconds. */
  readonly timeout: number;
}

/** More than any list of results has. */
const mostBytes = 2_097_152;

const input = z.strictObject({
  query: z.string().trim().min(1).max(1_000).describe('What to look for, as one would type it.'),
  count: z.number().int().min(1).max(10).default(5).describe('How many results.'),
});

/** Searches the web with the engine that the operator has chosen. Asks that engine's origin, and nobody else. */
export function webSearch({
  web,
  settings,
}: {
  readonly web: () => Promise<Pick<WebAccess, 'client'>>;
  readonly settings: WebSearchSettings;
}): Tool {
  const engine = engineOf(settings);
  return defineTool({
    name: 'web_search',
    displayName: 'Web search',
    category: 'network_read',
    description:
      'Searches the web and lists titles, addresses and snippets. Use it for what is recent or what you do not know for certain. To read a result, use web_fetch.',
    input,
    describeCall: ({ query }) => `search the web with ${engine.title} for ${inlineCode(oneLine(query, 200))}`,
    facets: () => ({ trustedHost: settings.baseUrl !== undefined || settings.apiKey !== '' }),
    async execute({ query, count }, { signal }) {
      const { title, lacks } = engine;
      if (lacks !== undefined) return error(`${title} cannot be asked: the operator has to set ${lacks}.`);
      const request = engine.request(query, count);
      const { origin, hostname } = new URL(request.url);
      try {
        const { client } = await web();
        const response = await client(
          {
            ...request,
            timeout: settings.timeout,
            maxBytes: mostBytes,
            refuse: (url) => (url.origin === origin ? undefined : `${title} sends searches elsewhere.`),
            operatorOrigin: settings.baseUrl && origin,
          },
          signal,
        );
        return report(await engine.read(response), { title, query, count, hostname });
      } catch (cause) {
        if (cause instanceof WebError) return error(`${title} could not be asked. ${cause.message}`);
        throw cause;
      }
    },
  });
}

function engineOf(settings: WebSearchSettings): SearchEngine {
  switch (settings.engine) {
    case 'duckduckgo':
      return duckduckgo(settings);
    case 'brave':
      return brave(settings);
    case 'searxng':
      return searxng(settings);
    case 'tavily':
      return tavily(settings);
  }
}

interface Search {
  readonly title: string;
  readonly query: string;
  readonly count: number;
  /** Who wrote the results, as far as we know. */
  readonly hostname: string;
}

function report(answer: SearchAnswer, { title, query, count, hostname }: Search): ToolOutput {
  if (answer.type === 'refused') return error(answer.message);
  const results = answer.results.filter(({ url }) => isWebAddress(url)).slice(0, count);
  const asked = JSON.stringify(oneLine(query, 200));
  if (results.length === 0) return llmOnly(`[${title} found nothing for ${asked}: try other words]`);
  const heading = `[${results.length === 1 ? '1 result' : `${results.length} results`} of ${title} for ${asked}]`;
  return { ...llmOnly([heading, ...results.map(describeResult)].join('\n\n')), untrusted: hostname };
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && url.length <= 2_000 && URL.canParse(url);
}

function describeResult({ title, url, snippet }: SearchResult, index: number): string {
  const lines = [
    oneLine(squeezed(title), 200) || '(without a title)',
    new URL(url).href,
    oneLine(squeezed(snippet), 600),
  ];
  return `${index + 1}. ${lines.filter((line) => line !== '').join('\n   ')}`;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Tavily's API. Needs a key. */
function tavily({ apiKey, baseUrl = 'https://api.tavily.com' }: EngineSettings): SearchEngine {
  const title = 'Tavily';
  return {
    title,
    lacks: apiKey === '' ? 'a key in tools.web_search.api_key' : undefined,
    request: (query, count) => ({
      url: endpoint(baseUrl, '/search'),
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query, max_results: count, search_depth: 'basic' }),
    }),
    read: (response) =>
      response.status === 432 || response.status === 433
        ? refused(`Tavily's plan is used up. The operator has to extend it, or to wait for the next month.`)
        : readJsonResults(response, title),
  };
}

/** A SearXNG of one's own. Needs a base_url. */
function searxng({ apiKey, baseUrl = '' }: EngineSettings): SearchEngine {
  const title = 'SearXNG';
  return {
    title,
    lacks: baseUrl === '' ? 'the address of an instance in tools.web_search.base_url' : undefined,
    request: (query) => ({
      url: endpoint(baseUrl, '/search', { q: query, format: 'json' }),
      // Some instances stand behind a proxy that wants a token.
      headers: { accept: 'application/json', ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }) },
    }),
    read: (response) =>
      response.status === 403
        ? refused('This SearXNG gives no JSON. The operator has to add "json" to search.formats in its settings.yml.')
        : readJsonResults(response, title),
  };
}

/** Brave's API. Needs a key. */
function brave({ apiKey, baseUrl = 'https://api.search.brave.com' }: EngineSettings): SearchEngine {
  const title = 'Brave';
  return {
    title,
    lacks: apiKey === '' ? 'a key in tools.web_search.api_key' : undefined,
    request: (query, count) => ({
      url: endpoint(baseUrl, '/res/v1/web/search', { q: query, count: String(count) }),
      headers: { accept: 'application/json', 'x-subscription-token': apiKey },
    }),
    read(response) {
      // There is no list where nothing was found.
      const listIn = ({ web }: JsonObject): unknown => (isJsonObject(web) ? web.results : []);
      // That is how it says that it does not know the key.
      const isWrongKey = response.status === 422 && response.body.includes('SUBSCRIPTION_TOKEN');
      return withoutMarkup(readJsonResults(isWrongKey ? { ...response, status: 401 } : response, title, listIn));
    },
  };
}

/** The words that were looked for are marked in what it finds. */
async function withoutMarkup(answer: SearchAnswer): Promise<SearchAnswer> {
  if (answer.type === 'refused') return answer;
  const { plainHtml } = await import('./plain-html.ts');
  const results = answer.results.map(({ title, url, snippet }) => ({
    title: plainHtml(title).text,
    url,
    snippet: plainHtml(snippet).text,
  }));
  return { type: 'found', results };
}

/** The page of DuckDuckGo for browsers without scripts. Needs nothing, and refuses what it takes for a program. */
function duckduckgo({ baseUrl = 'https://html.duckduckgo.com' }: EngineSettings): SearchEngine {
  return {
    title: 'DuckDuckGo',
    request: (query) => ({
      url: endpoint(baseUrl, '/html/', { q: query }),
      headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (compatible; Keyturn)' },
    }),
    read,
  };
}

async function read({ status, body }: WebResponse): Promise<SearchAnswer> {
  const page = body.toString();
  const results = status === 200 ? await resultsIn(page) : [];
  if (results.length > 0) return { type: 'found', results };
  // The question whether a person asks comes with a status of success.
  if (status === 202 || status === 403 || status === 429 || /anomaly-modal|challenge-form/.test(page)) {
    return refused(
      `DuckDuckGo takes this for a program and wants to see a person, so there are no results. ${otherEngines}`,
    );
  }
  if (status === 200 && page.includes('no-results')) return { type: 'found', results };
  return refused(`DuckDuckGo answered with a page that is no list of results (status ${status}). ${otherEngines}`);
}

const otherEngines =
  'The operator can set up an engine that is made for programs, in tools.web_search: brave or tavily with an api_key, or searxng with a base_url.';

/** What is used of a document. The library's own types are those of a browser. */
interface PageElement {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
}
interface PageDocument {
  querySelectorAll(selector: string): Iterable<PageElement>;
}

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

/** A result leads over a page of DuckDuckGo's own, which has the address as a parameter. Advertisements do not. */
function targetOf(href: string): string | undefined {
  const url = URL.parse(href, 'https://duckduckgo.com');
  if (url === null || href === '') return undefined;
  return url.hostname.endsWith('duckduckgo.com') ? (url.searchParams.get('uddg') ?? undefined) : url.href;
}

interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

type SearchAnswer =
  | { readonly type: 'found'; readonly results: readonly SearchResult[] }
  /** It gave none, for that reason. */
  | { readonly type: 'refused'; readonly message: string };

/** A search engine, as the operator has set it up. */
interface SearchEngine {
  /** What people call it. */
  readonly title: string;
  /** What the operator has to set before it can be used. */
  readonly lacks?: string | undefined;
  request(query: string, count: number): Pick<WebRequest, 'url' | 'method' | 'headers' | 'body'>;
  read(response: WebResponse): SearchAnswer | Promise<SearchAnswer>;
}

interface EngineSettings {
  readonly apiKey: string;
  /** Where it is, if not at its maker's. */
  readonly baseUrl?: string;
}

function endpoint(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** What a JSON answer means: the results in the order of the engine, without what is none, or why there are none. */
function readJsonResults(
  { status, body, truncated }: WebResponse,
  title: string,
  listIn = ({ results }: JsonObject): unknown => results,
): SearchAnswer {
  if (status === 401 || status === 403) {
    return refused(`${title} does not accept the key. The operator has to check tools.web_search.api_key.`);
  }
  if (status === 429) return refused(`${title} takes no more searches for now: its limit is reached. Try again later.`);
  if (status >= 500) return refused(`${title} is out of order (status ${status}). Try again later.`);
  if (status !== 200) return refused(`${title} refused the search (status ${status}). Try other words.`);
  const answer = truncated ? undefined : parseJson(body.toString());
  const list = isJsonObject(answer) ? listIn(answer) : undefined;
  if (!Array.isArray(list)) {
    return refused(
      `${title} answered with something that is no list of results. The operator may have a wrong base_url.`,
    );
  }
  const results = list.flatMap((value) => {
    const { success, data } = resultForm.safeParse(value);
    return success ? [{ title: data.title, url: data.url, snippet: data.description ?? data.content ?? '' }] : [];
  });
  return { type: 'found', results };
}

function refused(message: string): SearchAnswer {
  return { type: 'refused', message };
}

const resultForm = z.object({
  title: z.string().catch(''),
  url: z.string(),
  description: z.string().optional().catch(undefined),
  content: z.string().optional().catch(undefined),
});
