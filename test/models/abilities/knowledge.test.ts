import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { directNetwork } from '../../../src/lib/network/network.ts';
import type { ModelDescription, ModelRequest } from '../../../src/models/language-model.ts';
import { openModels } from '../../../src/models/open-models.ts';
import { modelWords } from '../../../src/models/words.ts';
import type { ToolDefinition } from '../../../src/transcript.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { eventsOf, failureOf, request, tool } from '../ask.ts';
import { textOf } from '../stepping-model.ts';
import { type AbilityServer, abilityServer, type Route, says, sendJson } from './ability-server.ts';

const lacking = { modelKey: 'main', modelName: 'm', server: 'llama.cpp' } as const;

const llamaCpp = (window: number, tools = true, vision = false) => ({
  '/v1/models': { data: [{ id: 'm', owned_by: 'llamacpp' }] },
  '/props': {
    default_generation_settings: { n_ctx: window },
    chat_template_caps: { supports_tools: tools },
    modalities: { vision },
  },
});

/** The model of a server, which is asked at once, and what its owners are told. */
async function modelOf(server: AbilityServer, rest: Partial<ModelDescription> = {}, clock: Clock = hurried()) {
  const description: ModelDescription = {
    key: 'main',
    provider: 'openai_compatible',
    name: 'm',
    baseUrl: `${server.url}/v1`,
    ...rest,
  };
  const opened = await openModels(
    { defaultName: 'main', models: new Map([['main', description]]) },
    { clock, log: silentLog },
  );
  const told: string[] = [];
  opened.learned.listen((words) => told.push(words('en')));
  opened.look();
  const model = opened.of(undefined);
  const knows = (window: number | undefined) =>
    waitUntil(() => model.abilities?.().window === window, { what: `the window ${window}` });
  return { model, told, opened, knows, ask: (asked: ModelRequest = request('hello')) => eventsOf(model, asked) };
}

/** A model of a server, as it stands among others. */
function at(key: string, { url }: AbilityServer, fallback?: readonly string[]) {
  return [key, { key, provider: 'openai_compatible', name: 'm', baseUrl: `${url}/v1`, fallback }] as const;
}

/** Pauses between tries take no time; what waits for silence does. */
function hurried(): Clock {
  return {
    now: () => systemClock.now(),
    after: (time, callback) => systemClock.after(time <= 2000 ? 0 : time, callback),
  };
}

/** More than 1,000 tokens of tools. */
const manyTools: readonly ToolDefinition[] = Array.from({ length: 20 }, (_, index) => ({
  ...tool(`tool_${index}`),
  description: 'Does something that needs many words to be told. '.repeat(8),
}));

describe('what is known of a model', () => {
  test('is asked of its server beside the work, and its chats wait for nothing', async () => {
    const server = await abilityServer({ '/v1/models': () => {} });
    const { ask, model } = await modelOf(server);
    expect(textOf(await ask())).toBe('hello');
    expect([server.chats().length, model.abilities?.()]).toEqual([1, {}]);
  });

  test('is waited for by the first request, which is made behind it', async () => {
    const server = await abilityServer(llamaCpp(4096));
    const { model } = await modelOf(server, {}, systemClock);
    await model.ready?.(new AbortController().signal);
    expect([model.abilities?.().window, server.questions().length]).toEqual([4096, 2]);
    server.state.isDown = true;
    await model.ready?.(new AbortController().signal);
    expect(server.questions()).toHaveLength(2);
  });

  test('is waited for no longer than two seconds, once, and not behind a stop', async () => {
    const server = await abilityServer({ '/v1/models': () => {} });
    const clock = new ManualClock();
    const { model } = await modelOf(server, {}, clock);
    const stopped = new AbortController();
    const ended = model.ready?.(stopped.signal);
    stopped.abort();
    await ended;
    let isOver = false;
    const waited = model.ready?.(new AbortController().signal).then(() => {
      isOver = true;
    });
    clock.advance(1_999);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    clock.advance(1);
    await waited;
    await model.ready?.(new AbortController().signal);
  });

  test('is not waited for where nothing listens', async () => {
    const server = await abilityServer();
    server.state.isDown = true;
    const { model } = await modelOf(server, {}, new ManualClock());
    await model.ready?.(new AbortController().signal);
    expect(model.abilities?.()).toEqual({});
  });

  test('is asked at the start of every model, not of the default alone', async () => {
    const [main, other] = [await abilityServer(llamaCpp(4096)), await abilityServer(llamaCpp(8192))];
    const opened = await openModels(
      { defaultName: 'main', models: new Map([at('main', main), at('other', other)]) },
      { clock: hurried(), log: silentLog },
    );
    opened.look();
    await waitUntil(() => main.questions().length === 2 && other.questions().length === 2, { what: 'the questions' });
  });

  test('goes with the key and the headers of the model, and is not asked again for each chat', async () => {
    const server = await abilityServer(llamaCpp(8192));
    const { ask, knows } = await modelOf(server, { apiKey: 'k-1', headers: { 'x-team': 'home' } });
    await knows(8192);
    await ask();
    await ask();
    expect(server.questions().map(({ path }) => path)).toEqual(['/v1/models', '/props']);
    for (const { headers } of server.questions())
      expect(headers).toMatchObject({ authorization: 'Bearer k-1', 'x-team': 'home' });
  });

  test('is asked with the key of an Anthropic server as that wants it', async () => {
    const server = await abilityServer(llamaCpp(8192));
    const { knows } = await modelOf(server, { provider: 'anthropic', apiKey: 'k-2' });
    await knows(8192);
    expect(server.questions()[0]?.headers).toMatchObject({ 'x-api-key': 'k-2' });
  });

  test.each([
    ['anthropic', undefined],
    ['openai', 'https://api.openai.com/v1'],
    ['google', 'http://127.0.0.1:9/v1beta'],
  ] as const)('is not asked of the servers of the providers themselves: %s', async (provider, baseUrl) => {
    const fetched: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      fetched.push(input);
      return new Response(null, { status: 404 });
    };
    const description = { key: 'main', provider, name: 'm', apiKey: 'k', baseUrl };
    const opened = await openModels(
      { defaultName: 'main', models: new Map([['main', description]]) },
      { clock: hurried(), log: silentLog, network: { ...directNetwork, fetch } },
    );
    opened.look();
    await opened.of('main').ready?.(new AbortController().signal);
    expect([opened.of('main').abilities?.(), fetched]).toEqual([{}, []]);
  });

  test('counts less than what the config says', async () => {
    const server = await abilityServer(llamaCpp(8192, false, true));
    const { model, told, opened } = await modelOf(server, {
      contextTokens: 2000,
      toolCalls: 'native',
      seesImages: false,
    });
    await waitUntil(() => told.length > 0, { what: 'the warning' });
    expect(model.abilities?.()).toEqual({
      ...{ server: 'llama.cpp', window: 2000, windowFrom: 'config', tools: true, toolsFrom: 'config' },
      ...{ images: false, imagesFrom: 'config' },
    });
    expect([opened.of(undefined).seesImages, told[0]]).toEqual([
      false,
      modelWords.en.lacksTools({ ...lacking, lack: { from: 'server' }, isAuto: false }),
    ]);
  });

  test('lets pictures through to a model that sees them', async () => {
    const { model, knows } = await modelOf(await abilityServer(llamaCpp(8192, true, true)));
    expect(model.seesImages).toBe(false);
    await knows(8192);
    expect(model.seesImages).toBe(true);
  });
});

describe('a server that was gone', () => {
  test('is asked again when its model answers, since it may have another model', async () => {
    const server = await abilityServer(llamaCpp(4096));
    const { ask, knows, model } = await modelOf(server);
    await knows(4096);
    server.state.isDown = true;
    await failureOf(model, request('hello'));
    Object.assign(server.state, { isDown: false, routes: llamaCpp(16_384, true, true) });
    await ask();
    await knows(16_384);
    expect(model.seesImages).toBe(true);
  });

  test('before it was ever asked, is asked when it answers', async () => {
    const server = await abilityServer(llamaCpp(4096));
    server.state.isDown = true;
    const { ask, knows, model } = await modelOf(server);
    await failureOf(model, request('hello'));
    server.state.isDown = false;
    await ask();
    await knows(4096);
  });

  test('is not asked again if it has never said anything', async () => {
    const server = await abilityServer();
    const { ask, model } = await modelOf(server);
    await waitUntil(() => server.questions().length === 4, { what: 'four questions' });
    server.state.isDown = true;
    await failureOf(model, request('hello'));
    server.state.isDown = false;
    await ask();
    await ask();
    expect(server.questions()).toHaveLength(4);
  });

  test('or may have changed while nobody talked, is asked again after ten minutes', async () => {
    const server = await abilityServer(llamaCpp(4096));
    const clock = new ManualClock();
    const { knows } = await modelOf(server, {}, clock);
    await knows(4096);
    server.state.routes = llamaCpp(8192);
    clock.advance(600_000);
    await knows(8192);
  });

  test('is asked again when the config was edited', async () => {
    const server = await abilityServer(llamaCpp(4096));
    const { knows, opened } = await modelOf(server);
    await knows(4096);
    server.state.routes = llamaCpp(8192);
    opened.look();
    await knows(8192);
  });
});

const ollama = (ps: readonly object[]) => ({
  '/v1/models': { data: [{ id: 'm', owned_by: 'library' }] },
  '/api/show': { capabilities: ['completion', 'tools'], model_info: { 'llama.context_length': 131_072 } },
  '/api/ps': { models: ps },
});

test('the window of Ollama is its usual one until the first answer has it load the model', async () => {
  const server = await abilityServer(ollama([]));
  const { ask, knows, model } = await modelOf(server);
  await knows(4096);
  expect(model.abilities?.().windowFrom).toBe('default');
  server.state.routes = ollama([{ model: 'm', context_length: 32_768 }]);
  await ask();
  await knows(32_768);
  expect(model.abilities?.().windowFrom).toBe('server');
  await ask();
  expect(server.questions()).toHaveLength(6);
});

describe('the window that a refusal names', () => {
  const refuses: Route = (response) =>
    sendJson(
      response,
      { error: { message: 'the request exceeds the available context size', n_ctx: 2048, n_prompt_tokens: 4768 } },
      400,
    );

  test('is that of the model, until its server comes back with another', async () => {
    const server = await abilityServer({ ...llamaCpp(4096), '/v1/chat/completions': refuses });
    const { model, knows } = await modelOf(server);
    await knows(4096);
    const { error } = await failureOf(model, request('hello'));
    expect([error.fault, error.window, error.size, error.message]).toEqual([
      ...['too-long', 2048, 4768],
      expect.stringContaining('it takes 2,048 tokens, and this is 4,768'),
    ]);
    expect(model.abilities?.()).toMatchObject({ window: 2048, windowFrom: 'refusal' });
    server.state.isDown = true;
    await failureOf(model, request('hello'));
    Object.assign(server.state, { isDown: false, routes: llamaCpp(8192) });
    await eventsOf(model, request('hello'));
    await knows(8192);
  });
});

describe('a model without tools', () => {
  test('of which its server says so writes its calls in text, and its owners are told once', async () => {
    const server = await abilityServer(llamaCpp(8192, false));
    const { ask, knows, told, opened } = await modelOf(server);
    await knows(8192);
    await ask();
    expect(server.chats()[0]).toMatchObject({ tools: 0, describesTools: true });
    server.state.routes = llamaCpp(4096, false);
    opened.look();
    await knows(4096);
    expect(told).toEqual([modelWords.en.lacksTools({ ...lacking, lack: { from: 'server' }, isAuto: true })]);
  });

  test('whose server refuses them is asked again at once, in text', async () => {
    const refusing: Route = (response, body) => {
      if (JSON.stringify(body).includes('"tools":'))
        sendJson(response, { error: { message: 'm does not support tools' } }, 400);
      else says(response, '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>');
    };
    const server = await abilityServer({ '/v1/chat/completions': refusing });
    const { ask, told } = await modelOf(server);
    const last = (await ask()).at(-1);
    expect(last?.type === 'finish' && last.answer.parts).toMatchObject([{ type: 'call', name: 'read_file' }]);
    await ask();
    expect(server.chats().map(({ tools }) => tools)).toEqual([2, 0, 0]);
    expect(told).toEqual([
      modelWords.en.lacksTools({ ...lacking, server: undefined, lack: { from: 'refusal' }, isAuto: true }),
    ]);
  });

  test('and with "native" in the config is refused as its server does it', async () => {
    const server = await abilityServer({
      '/v1/chat/completions': (response) => sendJson(response, { error: { message: 'm does not support tools' } }, 400),
    });
    const { model } = await modelOf(server, { toolCalls: 'native' });
    const { error } = await failureOf(model, request('hello'));
    expect([server.chats().length, error.message]).toEqual([1, expect.stringContaining('cannot call tools')]);
  });
});

describe('a server that takes tools and does not show them to its model', () => {
  const hello = request('hello', { tools: manyTools, system: 'You are a test. '.repeat(60) });
  /** About the tokens of the messages alone, and with the tools. */
  const [alone, whole] = [260, 2800];

  async function counted(promptTokens: readonly number[], rest: Partial<ModelDescription> = {}, asked = hello) {
    const server = await abilityServer();
    const { ask, told } = await modelOf(server, rest);
    for (const tokens of promptTokens) {
      server.state.promptTokens = tokens;
      await ask(asked);
    }
    server.state.promptTokens = whole;
    await ask(asked);
    return { inText: server.chats().at(-1)?.describesTools, told: told.length };
  }

  test.each([
    ['twice in a row', [alone, alone], true],
    ['once', [alone], false],
    ['not in a row', [alone, whole, alone], false],
    ['never', [whole, whole, whole], false],
    ['by a server that counts nothing', [0, 0, 0], false],
    ['by a server that leaves out what it had cached', [12, 12, 12], false],
    ['by a server with a small window, which cuts the request', [1024, 1024, 1024], false],
  ] as const)('is noticed by what it counts: %s', async (_how, tokens, isNoticed) => {
    expect(await counted(tokens)).toEqual({ inText: isNoticed, told: isNoticed ? 1 : 0 });
  });

  test.each([
    ['the same request', [4096, 4096, 4096], [30_000, 30_000, 30_000], undefined],
    ['requests of several sizes', [4096, 4096, 4096], [25_000, 30_000, 40_000], 4096],
    ['not much more than the messages', [4096, 4096, 4096], [13_000, 14_500, 16_000], 4096],
    ['to a few tokens, or does not count', [12, 12, 12], [25_000, 30_000, 40_000], undefined],
    ['to sizes of its own', [4000, 4090, 3800], [25_000, 30_000, 40_000], undefined],
  ])('is none that cuts without a word: %s', async (_which, tokens, lengths, window) => {
    const server = await abilityServer();
    const { ask, told, model } = await modelOf(server);
    const tools = Array.from({ length: 200 }, (_, index) => ({ ...manyTools[0], ...tool(`tool_${index}`) }));
    const heavy = tools.map((one) => ({ ...one, description: 'Does something that needs many words. '.repeat(6) }));
    for (const [index, promptTokens] of tokens.entries()) {
      server.state.promptTokens = promptTokens;
      await ask(request('x'.repeat(lengths[index] ?? 0), { tools: heavy }));
    }
    expect([server.chats().at(-1)?.describesTools, told]).toEqual([false, []]);
    expect(model.abilities?.()).toEqual(window === undefined ? {} : { window, windowFrom: 'usage' });
  });

  test('is not noticed where few tools are offered, or none', async () => {
    expect(await counted([alone, alone], {}, { ...hello, tools: manyTools.slice(0, 4) })).toMatchObject({ told: 0 });
    expect(await counted([alone, alone], {}, { ...hello, tools: [] })).toMatchObject({ told: 0 });
  });

  test('is told and changes nothing if the config says "native"', async () => {
    expect(await counted([alone, alone], { toolCalls: 'native' })).toEqual({ inText: false, told: 1 });
  });

  test('is none if it says that its model has tools: what counts there may be a gateway', async () => {
    const server = await abilityServer(llamaCpp(16_384));
    server.state.promptTokens = alone;
    const { ask, knows, told } = await modelOf(server);
    await knows(16_384);
    for (let times = 0; times < 3; times += 1) await ask(hello);
    expect([server.chats().at(-1)?.describesTools, told]).toEqual([false, []]);
  });

  test('is none if the model has ever made a call', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'tool_1', arguments: '{}' } };
    const choices = [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }];
    const server = await abilityServer({
      '/v1/chat/completions': (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(
          `data: ${JSON.stringify({ id: 'x', choices, usage: { prompt_tokens: alone, completion_tokens: 1 } })}\n\n`,
        );
      },
    });
    const { ask, told } = await modelOf(server);
    await ask(hello);
    server.state.routes = {};
    server.state.promptTokens = alone;
    for (let times = 0; times < 3; times += 1) await ask(hello);
    expect([server.chats().at(-1)?.describesTools, told]).toEqual([false, []]);
  });
});

test('what is known of a chain is that of the model that would be asked', async () => {
  const [main, other] = [await abilityServer(llamaCpp(4096)), await abilityServer(llamaCpp(8192))];
  const models = new Map([at('main', main, ['other']), at('other', other)]);
  const opened = await openModels({ defaultName: 'main', models }, { clock: hurried(), log: silentLog });
  const model = opened.of('main');
  opened.look();
  await waitUntil(() => model.abilities?.().window === 4096, { what: 'the window of the first' });
  main.state.isDown = true;
  await eventsOf(model, request('hello'));
  await waitUntil(() => model.abilities?.().window === 8192, { what: 'the window of its fallback' });
});
