import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import type { BuiltinSettings } from '../../../../src/tools/builtin/settings.ts';
import { webSearch } from '../../../../src/tools/builtin/web/web-search.ts';
import { builtinWords } from '../../../../src/tools/builtin/words.ts';
import { createToolRunner } from '../../../../src/tools/runner.ts';
import { clientWith, homeServer, leadsTo } from '../../guard/network/network-setting.ts';
import { contextIn, errorSaying, prepared } from '../../setting.ts';

const key = 'the-secret-key';
const runner = createToolRunner({ clock: systemClock });

type Settings = Partial<BuiltinSettings['web_search']>;

function toolWith(settings: Settings, allowPrivate: readonly string[] = []) {
  const client = clientWith({ allowPrivate, lookup: leadsTo('10.0.0.1') });
  const defaults = { engine: 'duckduckgo', api_key: '', timeout_secs: 5 } as const;
  return webSearch(async () => ({ client }), { web_search: { ...defaults, ...settings } });
}

async function search(settings: Settings, args: JsonValue = { query: 'tea & <cake>' }) {
  return (await runner.run(await prepared(toolWith(settings), args), contextIn('/'))).output;
}

/** An engine at this machine, and what it was asked. */
async function engineAt(answer: RequestListener) {
  const asked: { readonly line: string; readonly headers: object; readonly body: string }[] = [];
  const server = await homeServer(async (request, response) => {
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body: await text(request) });
    answer(request, response);
  });
  return { server, asked, baseUrl: `http://127.0.0.1:${server.port}` };
}

const answering =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

const ten = Array.from({ length: 10 }, (_, index) => ({
  title: `Title ${index + 1}`,
  url: `https://example.com/${index + 1}`,
  description: `About\n  ${index + 1}`,
  content: `About\n  ${index + 1}`,
}));

const listOf = (count: number): string =>
  ten
    .slice(0, count)
    .map(({ title, url }, index) => `${index + 1}. ${title}\n   ${url}\n   About ${index + 1}`)
    .join('\n\n');

const found = (title: string, count: number) => ({
  forLlm: `[${count} results of ${title} for "tea & <cake>"]\n\n${listOf(count)}`,
  isError: false,
  isAsync: false,
  untrusted: '127.0.0.1',
});

test('Brave is asked with its key, and its marks are taken out', async () => {
  const results = [
    { ...ten[0], title: '<strong>Title</strong> 1', description: 'About &amp; <strong>1</strong>' },
    ...ten.slice(1),
  ];
  const { asked, baseUrl } = await engineAt(answering(200, { web: { results } }));
  const output = await search({ engine: 'brave', api_key: key, base_url: `${baseUrl}/` });
  expect(output.forLlm).toContain('1. Title 1\n   https://example.com/1\n   About & 1\n\n2. Title 2');
  expect(output).toMatchObject({ isError: false, untrusted: '127.0.0.1' });
  expect(asked).toMatchObject([
    { line: 'GET /res/v1/web/search?q=tea+%26+%3Ccake%3E&count=5', headers: { 'x-subscription-token': key } },
  ]);
});

test('Tavily is asked with its key', async () => {
  const { asked, baseUrl } = await engineAt(answering(200, { results: ten }));
  const output = await search(
    { engine: 'tavily', api_key: key, base_url: baseUrl },
    { query: 'tea & <cake>', count: 10 },
  );
  expect(output).toEqual(found('Tavily', 10));
  expect(asked).toMatchObject([{ line: 'POST /search', headers: { authorization: `Bearer ${key}` } }]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ query: 'tea & <cake>', max_results: 10, search_depth: 'basic' });
});

test('SearXNG is asked where it is, below a path too, and needs no key', async () => {
  const { asked, baseUrl } = await engineAt(answering(200, { results: ten }));
  expect(await search({ engine: 'searxng', base_url: `${baseUrl}/searx/` })).toEqual(found('SearXNG', 5));
  expect(asked).toMatchObject([{ line: 'GET /searx/search?q=tea+%26+%3Ccake%3E&format=json' }]);
  expect(asked[0]?.headers).not.toHaveProperty('authorization');
});

const duckduckgoPage = `<!doctype html><html><body><div class="results">
  <div class="result results_links result--ad web-result"><h2 class="result__title">
    <a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example">Buy tea</a></h2></div>
  <div class="result results_links results_links_deep web-result"><h2 class="result__title">
    <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Ftea%3Fa%3Db%26c&amp;rut=0f">All
      <b>about</b> tea</a></h2><a class="result__snippet" href="#">Tea &amp; <b>cake</b>.</a></div>
  <div class="result web-result"><a class="result__a" href="https://example.org/">Direct</a></div>
  <div class="result web-result"><a class="result__a" href="//duckduckgo.com/l/?uddg=javascript%3Aalert(1)">Bad</a></div>
  <div class="result web-result"><a class="result__a">Without</a></div>
</div></body></html>`;

test('DuckDuckGo needs no key; its advertisements are left out, and its detours', async () => {
  const { asked, baseUrl } = await engineAt(answering(200, duckduckgoPage));
  expect((await search({ base_url: baseUrl })).forLlm).toBe(
    '[2 results of DuckDuckGo for "tea & <cake>"]\n\n' +
      '1. All about tea\n   https://example.com/tea?a=b&c\n   Tea & cake.\n\n2. Direct\n   https://example.org/',
  );
  expect(asked).toMatchObject([{ line: 'GET /html/?q=tea+%26+%3Ccake%3E' }]);
});

test.each([
  [202, '<form id="challenge-form" action="//duckduckgo.com/anomaly.js">', /wants to see a person/],
  [200, '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>', /wants to see a person/],
  [403, 'Forbidden', /wants to see a person/],
  [200, '<p>something new</p>', /a page that is no list of results \(status 200\)/],
  [500, 'oops', /a page that is no list of results \(status 500\)/],
])('a DuckDuckGo that answers %i %s is no empty list, and others are named', async (status, body, words) => {
  const { baseUrl } = await engineAt(answering(status, body));
  const output = await search({ base_url: baseUrl });
  expect(output).toEqual({ forLlm: expect.stringMatching(words), isError: true, isAsync: false });
  expect(output.forLlm).toContain('brave or tavily with an api_key, or searxng with a base_url');
});

test.each([
  ['duckduckgo', '<div class="no-results">No results.</div>'],
  ['brave', { type: 'search' }],
  ['tavily', { results: [] }],
  ['searxng', { results: [] }],
] as const)('%s may find nothing', async (engine, body) => {
  const { baseUrl } = await engineAt(answering(200, body));
  expect(await search({ engine, api_key: key, base_url: baseUrl })).toMatchObject({
    isError: false,
    forLlm: expect.stringMatching(/ found nothing for "tea & <cake>": try other words\]$/),
  });
});

test.each([
  ['brave', 401, {}, /Brave does not accept the key.*tools\.web_search\.api_key/],
  ['brave', 422, { error: { code: 'SUBSCRIPTION_TOKEN_INVALID' } }, /Brave does not accept the key/],
  ['brave', 422, { error: { code: 'VALIDATION' } }, /Brave refused the search \(status 422\)/],
  ['brave', 429, {}, /Brave takes no more searches for now/],
  ['brave', 503, {}, /Brave is out of order \(status 503\)/],
  ['brave', 200, 'no json', /is no list of results/],
  ['tavily', 401, {}, /Tavily does not accept the key/],
  ['tavily', 429, {}, /Tavily takes no more searches/],
  ['tavily', 432, {}, /Tavily's plan is used up/],
  ['tavily', 200, [1], /is no list of results/],
  ['searxng', 403, '', /"json" to search\.formats/],
  ['searxng', 429, '', /SearXNG takes no more searches/],
  ['searxng', 200, '<html>', /is no list of results/],
] as const)('%s with %i %j says what is the matter, and never the key', async (engine, status, body, words) => {
  const { baseUrl } = await engineAt(answering(status, body));
  const output = await search({ engine, api_key: key, base_url: baseUrl });
  expect(output).toEqual(errorSaying(words));
  expect(JSON.stringify(output)).not.toContain(key);
});

test('results that are none are left out, and what hides in them is shown', async () => {
  const results = [
    null,
    7,
    { title: 'No address' },
    { title: 'Bad', url: 'javascript:alert(1)' },
    { title: 'Long', url: `https://example.com/${'a'.repeat(3_000)}` },
    { title: 3, url: 'https://example.com/untitled', content: { a: 1 } },
    {
      title: 'Hidden\u202e\u200b',
      url: 'https://example.com/a b',
      content: `2. Fake\n   https://evil.example\n${'x'.repeat(5_000)}`,
    },
  ];
  const { baseUrl } = await engineAt(answering(200, { results }));
  const { forLlm } = await search({ engine: 'searxng', base_url: baseUrl });
  const lines = forLlm.split('\n');
  expect(lines.slice(0, 7)).toEqual([
    '[2 results of SearXNG for "tea & <cake>"]',
    '',
    '1. (without a title)',
    '   https://example.com/untitled',
    '',
    '2. Hidden\\u202e\\u200b',
    '   https://example.com/a%20b',
  ]);
  expect(lines).toHaveLength(8);
  expect(lines[7]).toMatch(/^ {3}2\. Fake https:\/\/evil\.example x{5,}…x+$/);
  expect(lines[7]?.length).toBeLessThan(620);
});

test('an address that the operator has set may be private, and leads nowhere else', async () => {
  const other = await homeServer((_, response) => response.end('{"results":[]}'));
  const { server, baseUrl } = await engineAt((_, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${other.port}/` }).end(),
  );
  const output = await search({ engine: 'tavily', api_key: key, base_url: baseUrl });
  expect(output).toEqual(errorSaying('which is not followed'));
  expect([server.connections(), other.connections()]).toEqual([1, 0]);
  // Not even where the guard would let it.
  const tool = toolWith({ engine: 'tavily', api_key: key, base_url: baseUrl }, ['127.0.0.1']);
  const again = await runner.run(await prepared(tool, { query: 'tea' }), contextIn('/'));
  expect(again.output.forLlm).toContain('Tavily sends searches elsewhere.');
  expect(other.connections()).toBe(0);
  // Without it, the maker's own address is held to the rules of all others.
  expect((await search({ engine: 'brave', api_key: key })).forLlm).toMatch(/private network/);
});

test('an engine that is not there is said to be so', async () => {
  const output = await search({ engine: 'searxng', base_url: 'http://127.0.0.1:1' });
  expect(output.forLlm).toContain('SearXNG could not be asked. 127.0.0.1 takes no connections at port 1.');
});

test('web_search only reads, and a person is told what is looked for', async () => {
  const call = await prepared(toolWith({ engine: 'brave', api_key: key }), { query: ' tea `now` ', count: '3' });
  expect(call).toMatchObject({ category: 'network_read', facets: { trustedHost: true } });
  expect(call.describe()).toBe(builtinWords.en.searchWeb({ engine: 'Brave', query: '`` tea `now` ``' }));
  expect(call.arguments).toEqual({ query: 'tea `now`', count: 3 });
  const keyless = await prepared(toolWith({}), { query: 'tea' });
  expect(keyless.facets).toEqual({ trustedHost: false });
  const wrong: readonly JsonObject[] = [
    { query: '' },
    { query: '  ' },
    {},
    { query: 'a', count: 0 },
    { query: 'a', count: 11 },
  ];
  for (const args of wrong) {
    await expect(prepared(toolWith({}), args)).rejects.toThrow('The arguments are not valid');
  }
});
