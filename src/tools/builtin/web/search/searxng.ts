import { type EngineSettings, endpoint, readJsonResults, refused, type SearchEngine } from './search-engine.ts';

/** A SearXNG of one's own. Needs a base_url. */
export function searxng({ apiKey, baseUrl = '' }: EngineSettings): SearchEngine {
  const title = 'SearXNG';
  return {
    title,
    ...(baseUrl === '' ? { lacks: 'the address of an instance in tools.web_search.base_url' } : {}),
    request: (query) => ({
      url: endpoint(baseUrl, '/search', { q: query, format: 'json' }),
      // Where it stands behind a door of its own.
      headers: { accept: 'application/json', ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }) },
    }),
    read(response) {
      if (response.status === 403) {
        return refused(
          'This SearXNG gives no JSON. The operator has to add "json" to search.formats in its settings.yml.',
        );
      }
      return readJsonResults(response, title);
    },
  };
}
