import { type EngineSettings, endpoint, readJsonResults, refused, type SearchEngine } from './search-engine.ts';

/** Tavily's API. Needs a key. */
export function tavily({ apiKey, baseUrl = 'https://api.tavily.com' }: EngineSettings): SearchEngine {
  const title = 'Tavily';
  return {
    title,
    ...(apiKey === '' ? { lacks: 'a key in tools.web_search.api_key' } : {}),
    request: (query, count) => ({
      url: endpoint(baseUrl, '/search'),
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query, max_results: count, search_depth: 'basic' }),
    }),
    read(response) {
      if (response.status === 432 || response.status === 433) {
        return refused(`Tavily's plan is used up. The operator has to extend it, or to wait for the next month.`);
      }
      return readJsonResults(response, title);
    },
  };
}
