import { isJsonObject, type JsonValue } from '../../../../lib/json.ts';
import { plainHtml } from '../plain-html.ts';
import {
  type EngineSettings,
  endpoint,
  readJsonResults,
  refusalOf,
  refused,
  type SearchAnswer,
  type SearchEngine,
} from './search-engine.ts';

/** Brave's API. Needs a key. */
export function brave({ apiKey, baseUrl = 'https://api.search.brave.com' }: EngineSettings): SearchEngine {
  const title = 'Brave';
  return {
    title,
    ...(apiKey === '' ? { lacks: 'a key in tools.web_search.api_key' } : {}),
    request: (query, count) => ({
      url: endpoint(baseUrl, '/res/v1/web/search', { q: query, count: String(count) }),
      headers: { accept: 'application/json', 'x-subscription-token': apiKey },
    }),
    read(response) {
      // That is how it says that it does not know the key.
      if (response.status === 422 && response.body.includes('SUBSCRIPTION_TOKEN')) return wrongKey(title);
      return withoutMarkup(readJsonResults(response, title, listIn));
    },
  };
}

function wrongKey(title: string): SearchAnswer {
  return refusalOf(401, title) ?? refused(title);
}

/** There is no list where nothing was found. */
function listIn(answer: JsonValue): unknown {
  if (!isJsonObject(answer)) return undefined;
  const { web } = answer;
  return isJsonObject(web) ? web.results : [];
}

/** The words that were looked for are marked in what it finds. */
function withoutMarkup(answer: SearchAnswer): SearchAnswer {
  if (answer.type === 'refused') return answer;
  const results = answer.results.map(({ title, url, snippet }) => ({
    title: plainHtml(title).text,
    url,
    snippet: plainHtml(snippet).text,
  }));
  return { type: 'found', results };
}
