import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createModel } from '../../src/models/create-model.ts';
import type { ModelProvider } from '../../src/models/language-model.ts';
import { failureOf, modelAt, modelWith, request } from './ask.ts';
import { refusing, startWireServer } from './wire-server.ts';

afterEach(() => vi.unstubAllEnvs());

/** Which npm packages are loaded by importing a file and doing something with it. */
async function packagesLoadedBy(script: string): Promise<readonly string[]> {
  const source = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ resolve(specifier, context, next) { seen.add(specifier); return next(specifier, context); } });
    ${script}
    console.log(JSON.stringify([...seen].filter((name) => /^(ai$|zod|@ai-sdk)/.test(name))));`;
  const cwd = new URL('../../src/models/', import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], { cwd });
  return JSON.parse(stdout);
}

describe('what is loaded', () => {
  test('for the offline model is no package at all', async () => {
    expect(await packagesLoadedBy(`await import('./offline/offline-model.ts');`)).toEqual([]);
  });

  test("for a model is its own provider's package, and not 'ai'", async () => {
    const loaded = await packagesLoadedBy(`
      const { createModel } = await import('./create-model.ts');
      await createModel({ key: 'main', provider: 'anthropic', name: 'm', apiKey: 'k' }, { now: () => 0 });`);

    expect(loaded).toContain('@ai-sdk/anthropic');
    expect(loaded.filter((name) => /^ai$|openai|google|compatible/.test(name))).toEqual([]);
  });
});

describe('a description', () => {
  test.each(['key\nX-Other: 1', 'schlüssel…'])('with the key %j is refused without showing it', async (apiKey) => {
    const outcome: unknown = await modelAt('http://127.0.0.1:1/v1', { apiKey }).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ fault: 'auth', message: expect.stringMatching(/models\.main\.api_key/) });
    expect(String(outcome)).not.toContain(apiKey);
  });
});

test('headers and the limit of the answer go with every request', async () => {
  const { server, model } = await modelWith(refusing, { headers: { 'x-team': 'blue' }, maxOutputTokens: 77 });
  await failureOf(model, request('hello'));
  expect(server.requests[0]?.headers['x-team']).toBe('blue');
  expect(server.requests[0]?.body).toMatchObject({ max_tokens: 77 });
});

test.each<ModelProvider>(['anthropic', 'openai', 'google'])(
  "%s: the environment's key and address are not used behind the config's back",
  async (provider) => {
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1');
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'])
      vi.stubEnv(name, 'leaked');
    const server = await startWireServer(refusing);
    const model = await createModel({ key: 'main', provider, name: 'm', baseUrl: server.url }, systemClock);
    await failureOf(model, request('hello'));
    expect(JSON.stringify(server.requests.map(({ headers }) => headers))).not.toContain('leaked');
    expect(server.requests).toHaveLength(1);
  },
);

test('where nothing listens on this machine, the failure says so and names the model server', async () => {
  const { server, model } = await modelWith(refusing);
  await server.stop();
  const { error } = await failureOf(model, request('hello'));
  expect(error.fault).toBe('transient');
  expect(error.message).toMatch(/Nothing listens at http:\/\/127.*Ollama.*models\.main\.base_url/);
});
