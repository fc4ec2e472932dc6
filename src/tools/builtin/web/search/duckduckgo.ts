import type { WebResponse } from '../../../guard/network/web-client.ts';
import {
  type EngineSettings,
  endpoint,
  refused,
  type SearchAnswer,
  type SearchEngine,
  type SearchResult,
} from './search-engine.ts';

/** The page of DuckDuckGo for browsers without scripts. Needs nothing, and refuses what it takes for a program. */
export function duckduckgo({ baseUrl = 'https://html.duckduckgo.com' }: EngineSettings): SearchEngine {
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
