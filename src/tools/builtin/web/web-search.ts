import { z } from 'zod';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { type WebClient, WebError } from '../../guard/network/web-client.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { brave } from './search/brave.ts';
import { duckduckgo } from './search/duckduckgo.ts';
import type { EngineSettings, SearchAnswer, SearchEngine, SearchResult } from './search/search-engine.ts';
import { searxng } from './search/searxng.ts';
import { tavily } from './search/tavily.ts';

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
export function webSearch(dependencies: { readonly client: WebClient; readonly settings: WebSearchSettings }): Tool {
  const { client, settings } = dependencies;
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
        const response = await client(
          {
            ...request,
            timeout: settings.timeout,
            maxBytes: mostBytes,
            refuse: (url) => (url.origin === origin ? undefined : `${title} sends searches elsewhere.`),
            ...(settings.baseUrl === undefined ? {} : { operatorOrigin: origin }),
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
