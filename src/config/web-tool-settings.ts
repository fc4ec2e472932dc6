import { z } from 'zod';
import { block, bytes, domainPattern, httpUrl, listOf, privateHost, seconds, whole } from './setting-kinds.ts';

const searchEngines = ['duckduckgo', 'brave', 'searxng', 'tavily'] as const;

/** How much of a page or document is read at a time. */
export const pageChars = whole(20_000, 1000, 1_000_000).describe('How much of it is read at a time, in characters.');

/** The tools that access the network, and their limits. */
export function webToolSettings(enabled: z.ZodDefault<z.ZodBoolean>) {
  return {
    network: block({
      allow_private: listOf(privateHost).describe(
        'Hosts of the own network that tools may reach: "nas.local", "192.168.1.7:8080", "10.0.0.0/8".',
      ),
      trusted_domains: listOf(domainPattern).describe(
        'Sites whose content counts as written by nobody who means harm: "wiki.example.com".',
      ),
    }).describe('What holds for all tools that reach into the network.'),
    web_search: block({
      enabled,
      engine: z
        .enum(searchEngines)
        .default('duckduckgo')
        .describe('duckduckgo needs no key, and may refuse; brave and tavily need one; searxng needs a base_url.'),
      api_key: z.string().default('').describe('The key of the engine. Best read from the environment.'),
      base_url: httpUrl.optional().describe("Where the engine is, if not at its maker's."),
      timeout_secs: seconds(20).describe('How long a search may take.'),
    }).describe('Searches the web.'),
    web_fetch: block({
      enabled,
      timeout_secs: seconds(30).describe('How long fetching a page may take.'),
      max_bytes: bytes(10_485_760).describe('The largest page that is read, after decompression.'),
      page_chars: pageChars,
    }).describe('Reads a page of the web.'),
    http_request: block({
      enabled,
      allowed_domains: listOf(domainPattern).describe(
        'The hosts that may be reached: "api.example.com", "*.example.com". Empty: there is no such tool.',
      ),
      timeout_secs: seconds(30).describe('How long a request may take.'),
      max_response_bytes: bytes(524_288).describe('Of a longer answer the rest is not read.'),
    }).describe('Speaks to an HTTP API.'),
  };
}
