import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { fetchedRequests } from '../../../src/lib/network/fetched-requests.ts';
import { askServer } from '../../../src/models/abilities/ask-server.ts';
import { type AbilityServer, abilityServer, type Route, sendJson } from './ability-server.ts';

/** What servers tell on which paths, a line each, and what is read of it. */
const recordedSchema = z.strictObject({
  server: z.string(),
  routes: z.record(z.string(), z.union([z.string(), z.array(z.unknown()), z.looseObject({})])),
  told: z.looseObject({}),
});

const recorded = readFileSync(new URL('servers.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => recordedSchema.parse(JSON.parse(line)));

function ask(
  { url }: Pick<AbilityServer, 'url'>,
  { name = 'm', clock = systemClock }: { name?: string; clock?: Clock } = {},
) {
  return askServer({
    baseUrl: `${url}/v1`,
    name,
    headers: { authorization: 'Bearer k' },
    requests: fetchedRequests(fetch),
    clock,
  });
}

const list = { object: 'list', data: [{ id: 'm', owned_by: 'llamacpp' }] };
const props = { default_generation_settings: { n_ctx: 4096 } };

describe('what a server says of a model', () => {
  test.each(recorded)('$server', async ({ routes, told }) => {
    const server = await abilityServer(routes);
    expect(await ask(server)).toEqual(told);
    expect(server.chats()).toEqual([]);
    expect(server.asked.length).toBeLessThanOrEqual(6);
    expect(server.asked.every(({ headers }) => headers.authorization === 'Bearer k')).toBe(true);
  });

  test('is asked with one request where its list says enough', async () => {
    const server = await abilityServer({ '/v1/models': { data: [{ id: 'm', max_model_len: 4096 }] } });
    await ask(server);
    expect(server.asked.map(({ path }) => path)).toEqual(['/v1/models']);
  });

  test('is asked of an unknown server only with what changes nothing', async () => {
    const server = await abilityServer();
    expect(await ask(server)).toEqual({});
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/models',
      'GET /props',
      'GET /api/version',
      'GET /api/v0/models/m',
    ]);
  });

  test.each([
    ['https://x.com:8443/v1', false],
    ['https://203.0.113.7/v1', false],
    ['https://203.0.113.7:8443/v1', false],
    ['https://[2001:db8::1]:8443/v1', false],
    ['https://gateway.example/v1', false],
    ['https://192.168.1.9/v1', true],
    ['https://100.64.0.7:8443/v1', true],
    ['https://[fd00::1]/v1', true],
    ['https://127.0.0.1:1234/v1', true],
    ['https://ollama.localhost/v1', true],
    ['https://gpu-box/v1', true],
    ['https://gpu.local/v1', true],
    ['https://gpu.lan:8443/v1', true],
    ['https://host.docker.internal:11434/v1', true],
    ['http://gpu.example:8000/v1', true],
    ['http://203.0.113.7:8000/v1', true],
  ])('is asked for more of an unknown server only nearby: %s', async (baseUrl, isNear) => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(String(input));
      return new Response(null, { status: 404 });
    };
    await askServer({ baseUrl, name: 'm', headers: {}, requests: fetchedRequests(fetch), clock: systemClock });
    expect(asked).toHaveLength(isNear ? 4 : 1);
  });

  test('is not asked of one that answers every path alike', async () => {
    const page = '<html>hello</html>';
    const server = await abilityServer({ '/v1/models': page, '/props': page, '/api/version': page });
    expect(await ask(server)).toEqual({});
    expect(server.asked).toHaveLength(1);
  });

  test('is asked of a model by its whole name', async () => {
    const server = await abilityServer({
      '/v1/models': { data: [{ id: 'x', owned_by: 'organization_owner' }] },
      '/api/v0/models/qwen/qwen3%208b': { type: 'llm', max_context_length: 8192, loaded_context_length: 4096 },
    });
    expect(await ask(server, { name: 'qwen/qwen3 8b' })).toMatchObject({ window: 4096 });
  });
});

describe('a server that cannot answer now', () => {
  const loading: Route = (response) => sendJson(response, { error: { code: 503, message: 'Loading model' } }, 503);

  test.each([
    ['is loading', { '/v1/models': loading }],
    ['is loading behind its list', { '/v1/models': list, '/props': loading }],
    ['asks for patience', { '/v1/models': ((response) => sendJson(response, {}, 429)) satisfies Route }],
    [
      'breaks off',
      { '/v1/models': ((response) => response.writeHead(200).write('{', () => response.destroy())) satisfies Route },
    ],
    ['hangs up', { '/v1/models': ((response) => response.destroy()) satisfies Route }],
  ])('is asked later: one that %s', async (_what, routes) => {
    expect(await ask(await abilityServer(routes))).toBe('later');
  });

  test('is asked later if it says nothing for ten seconds', async () => {
    const waits: number[] = [];
    const clock: Clock = {
      now: () => 0,
      after(milliseconds, callback) {
        waits.push(milliseconds);
        queueMicrotask(callback);
        return () => {};
      },
    };
    expect(await ask(await abilityServer({ '/v1/models': () => {} }), { clock })).toBe('later');
    expect(waits).toEqual([10_000]);
  });
});

test('a redirect is not followed, and what is too large is not read', async () => {
  const other = await abilityServer({ '/v1/models': { data: [{ id: 'm', max_model_len: 4096 }] } });
  const away: Route = (response) => response.writeHead(302, { location: `${other.url}/v1/models` }).end();
  expect(await ask(await abilityServer({ '/v1/models': away }))).toEqual({});
  expect(other.asked).toEqual([]);

  const endless: Route = (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(100_000)));
    };
    response.on('drain', more);
    more();
  };
  expect(await ask(await abilityServer({ '/v1/models': endless, '/props': props }))).toEqual({});
});
