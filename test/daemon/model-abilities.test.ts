import { describe, expect, test } from 'vitest';
import { modelWords } from '../../src/conversation/commands/model/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { escapeMarkdown } from '../../src/lib/plain-text.ts';
import type { ModelDescription } from '../../src/models/language-model.ts';
import { openModels } from '../../src/models/open-models.ts';
import { modelWords as errorWords, type ToolLack } from '../../src/models/words.ts';
import { type AbilityServer, abilityServer, type Route, says, sendJson } from '../models/abilities/ability-server.ts';
import { type DaemonSettingOptions, daemonSetting } from '../support/daemon-setting.ts';
import { modelWaits } from '../support/model-waits.ts';
import { anyNumber, anything, saying } from '../support/saying.ts';
import { png } from '../support/test-attachments.ts';
import { waitUntil } from '../support/wait-for.ts';

const llama = 'llama.cpp';

/** What its owner is told of a model that gets its tools in text. */
function lacksTools(lack: ToolLack, server?: string): string {
  const model = { modelKey: 'main', modelName: 'small', server, isAuto: true };
  return `⚠️ ${escapeMarkdown(errorWords.en.lacksTools({ ...model, lack }))}`;
}

/** Pauses between tries take no time; what waits for silence does. */
const hurried: Clock = {
  now: () => systemClock.now(),
  after: (time, callback) => systemClock.after(time <= 2000 ? 0 : time, callback),
};

/** The daemon with the model of a server. */
async function settingOf(
  server: AbilityServer,
  rest: Partial<ModelDescription> = {},
  options: DaemonSettingOptions = {},
) {
  const description: ModelDescription = {
    ...{ key: 'main', provider: 'openai_compatible', name: 'small', baseUrl: `${server.url}/v1` },
    ...rest,
  };
  const opened = await openModels(
    { defaultName: 'main', models: new Map([['main', description]]) },
    { clock: hurried, log: silentLog },
  );
  const setting = await daemonSetting({ ...options, models: opened });
  const knows = (window: number) =>
    waitUntil(() => opened.of('main').abilities?.().window === window, { what: `the window ${window}` });
  return { ...setting, setting, knows };
}

function llamaCpp({ window = 16_384, tools = true, vision = false } = {}) {
  return {
    '/v1/models': { data: [{ id: 'small', owned_by: 'llamacpp' }] },
    '/props': {
      default_generation_settings: { n_ctx: window },
      chat_template_caps: { supports_tools: tools },
      modalities: { vision },
    },
  };
}

describe('what the server of a model says', () => {
  test('is its limit, and stands in /status and /model', async () => {
    const { channel, knows } = await settingOf(await abilityServer(llamaCpp()));
    await knows(16_384);
    await channel.askAtRest('hi', 'hello');
    await channel.ask('/context', 'of 16384 tokens');
    const words =
      /window 16,384 tokens \(llama\\?\.cpp\); native tool calls \(llama\\?\.cpp\); sees no pictures \(llama\\?\.cpp\)/;
    await channel.ask('/status details', words);
    await channel.ask('/model', words);
  });

  test('is known before the first request is made, whichever model that goes to', async () => {
    const [main, small] = [await abilityServer(llamaCpp()), await abilityServer(llamaCpp({ window: 4096 }))];
    const at = (key: string, { url }: AbilityServer) =>
      [key, { key, provider: 'openai_compatible', name: 'm', baseUrl: `${url}/v1` }] as const;
    const models = new Map([at('main', main), at('small', small)]);
    const opened = await openModels({ defaultName: 'main', models }, { clock: systemClock, log: silentLog });
    const unlooked = { ...opened, look: () => {} };
    const { channel } = await daemonSetting({ models: unlooked });
    await channel.ask('/model small', 'small');
    await channel.askAtRest('hi', 'hello');
    const [chat] = small.chats();
    expect([main.chats().length, small.chats().length]).toEqual([0, 1]);
    expect(chat?.text).toContain('Just make calls that need permission: Keyturn asks a person.');
  });

  test('is asked while people talk: the first answer waits no longer than a moment, nor costs a request more', async () => {
    const server = await abilityServer({ '/v1/models': () => {}, '/props': () => {} });
    const { channel } = await settingOf(server);
    await channel.askAtRest('hi', 'hello');
    expect([server.chats().length, server.questions().length]).toEqual([1, 1]);
  });

  test('counts less than the config, which may name a larger window than that of all models', async () => {
    const server = await abilityServer(llamaCpp());
    const { channel } = await settingOf(server, { contextTokens: 50_000 });
    await channel.askAtRest('hi', 'hello');
    await channel.ask('/context', 'of 50000 tokens');
    await channel.ask('/status details', 'window 50,000 tokens (the config)');
  });

  test('decides whether pictures are sent', async () => {
    const server = await abilityServer(llamaCpp({ window: 20_000 }));
    const { channel, setting, knows } = await settingOf(server);
    await knows(20_000);
    const attachments = () => [channel.files.put(png, { kind: 'image', mediaType: 'image/png' })];
    await channel.askAtRest('what is it?', 'hello', { attachments: attachments() });
    server.state.routes = llamaCpp({ window: 20_001, vision: true });
    await setting.edit({});
    await knows(20_001);
    await channel.say('and this?', { attachments: attachments() });
    await waitUntil(() => server.chats().length === 2, { what: 'the second chat' });
    expect(server.chats().map(({ hasPicture }) => hasPicture)).toEqual([false, true]);
  });
});

describe('a model that has no tools where it runs', () => {
  test('gets them in text, and its owner is told: its server says so', async () => {
    const server = await abilityServer(llamaCpp());
    const { channel, setting, knows } = await settingOf(server);
    await knows(16_384);
    await channel.askAtRest('hi', 'hello');
    server.state.routes = llamaCpp({ tools: false });
    await setting.edit({});
    await channel.sees(lacksTools({ from: 'server' }, llama));
    await channel.say('and now?');
    await waitUntil(() => server.chats().length === 2, { what: 'the second chat' });
    expect(server.chats().map(({ tools, describesTools }) => [tools > 0, describesTools])).toEqual([
      [true, false],
      [false, true],
    ]);
    await channel.ask('/status details', modelWords.en.toolCalls({ tools: false, from: 'server', server: llama }));
  });

  test('is told of when the owner first writes, if nobody had a chat before', async () => {
    const { channel, knows } = await settingOf(await abilityServer(llamaCpp({ tools: false })));
    await knows(16_384);
    await channel.say('hi');
    await channel.sees(lacksTools({ from: 'server' }, llama));
    await channel.whenIdle();
    expect(channel.screen.filter(({ text }) => text.includes('has no tools'))).toHaveLength(1);
  });

  test('gets them in text, and its owner is told: its server takes them and counts too few tokens', async () => {
    const server = await abilityServer();
    server.state.promptTokens = 400;
    const { channel } = await settingOf(server);
    await channel.askAtRest('hi', 'hello');
    await channel.say('and now?');
    await channel.sees(saying(lacksTools({ from: 'usage', ignored: { counted: 400, sent: anyNumber } })));
    server.state.routes = {
      '/v1/chat/completions': (response, body) => {
        const isResult = JSON.stringify(body).includes('<tool_result call=');
        says(
          response,
          isResult ? 'it said moin' : '<tool_call>{"name": "echo", "arguments": {"message": "moin"}}</tool_call>',
        );
      },
    };
    await channel.ask('say moin', 'it said moin');
    expect(server.chats().at(-1)).toMatchObject({ tools: 0, text: expect.stringContaining('moin\\n</tool_result>') });
  });

  test('is asked again at once, in text, if its server refuses tools', async () => {
    const refuses: Route = (response, body) => {
      if (JSON.stringify(body).includes('"tools":'))
        sendJson(response, { error: { message: 'registry.ollama.ai/library/small does not support tools' } }, 400);
      else says(response, 'hello in text');
    };
    const server = await abilityServer({ '/v1/chat/completions': refuses });
    const { channel } = await settingOf(server);
    await channel.askAtRest('hi', 'hello in text');
    await channel.sees(lacksTools({ from: 'refusal' }));
    expect(server.chats()).toHaveLength(2);
  });
});

/** Refuses what is longer than its window, as llama.cpp does. */
function windowed(window: number, sizes: number[]): Route {
  return (response, body) => {
    const size = Math.ceil(JSON.stringify(body).length / 4);
    sizes.push(size);
    if (size <= window) return says(response, 'it fits');
    const message = 'the request exceeds the available context size, try increasing it';
    const error = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: size, n_ctx: window };
    return sendJson(response, { error }, 400);
  };
}

describe('a request that is too long', () => {
  test('because of the instructions and tools alone is said to be that, and is not sent twice', async () => {
    const sizes: number[] = [];
    const { channel } = await settingOf(await abilityServer({ '/v1/chat/completions': windowed(300, sizes) }));
    const fixed = { tokens: anyNumber, model: 'main (small)', window: 300, isMostlyTools: false };
    await channel.askAtRest('hi', saying(escapeMarkdown(engineWords.en.fixedPartTooLong(fixed))));
    expect(channel.screen.filter(({ text }) => text.includes('/new'))).toEqual([]);
    const isFalling = sizes.every((size, index) => index === 0 || size < (sizes[index - 1] ?? 0));
    expect([sizes.length <= 2, isFalling]).toEqual([true, true]);
    await channel.ask('/status details', modelWords.en.window({ window: 300, from: 'refusal', server: undefined }));
  });

  test('teaches the window: the conversation is made to fit, and so are the next requests', async () => {
    const sizes: number[] = [];
    const server = await abilityServer({ '/v1/chat/completions': windowed(100_000, sizes) });
    const { channel } = await settingOf(server, {}, { config: { agent: { burst_ms: 0, summaries: false } } });
    await channel.askAtRest(`a story ${'with many words '.repeat(1500)}`, 'it fits');
    server.state.routes = { '/v1/chat/completions': windowed(7000, sizes) };
    const before = sizes.length;
    await channel.askAtRest('and now?', 'it fits');
    const refused = sizes.slice(before).filter((size) => size > 7000).length;
    expect(refused).toBeGreaterThan(0);
    await channel.askAtRest('and then?', 'it fits');
    expect(sizes.slice(before).filter((size) => size > 7000)).toHaveLength(refused);
  });

  test('teaches a window that is forgotten when the server was gone: it may come back with a larger one', async () => {
    const sizes: number[] = [];
    const server = await abilityServer({ '/v1/chat/completions': windowed(7000, sizes) });
    const { channel } = await settingOf(
      server,
      {},
      {
        config: { agent: { burst_ms: 0, summaries: false, wait_for_model_secs: 0 } },
      },
    );
    await channel.askAtRest(`a story ${'with many words '.repeat(1500)}`, 'it fits');
    expect(sizes.at(-1)).toBeLessThanOrEqual(7000);
    let refusals = 0;
    server.state.routes = {
      '/v1/chat/completions': (response) => {
        refusals += 1;
        // As often as a request is tried.
        if (refusals === 3) server.state.routes = { '/v1/chat/completions': windowed(100_000, sizes) };
        return sendJson(response, { error: { message: 'Loading model', code: 503 } }, 503);
      },
    };
    await channel.askAtRest('and now?', '⚠️');
    await channel.askAtRest('and then?', 'it fits');
    expect(sizes.at(-1)).toBeGreaterThan(7000);
  });
});

test('a request that cannot be made smaller goes to the fallback, and not to the model that refused it again', async () => {
  const sizes: number[] = [];
  const main = await abilityServer({ '/v1/chat/completions': windowed(100, sizes) });
  const other = await abilityServer();
  const at = (key: string, { url }: AbilityServer, fallback?: readonly string[]) =>
    [key, { key, provider: 'openai_compatible', name: 'm', baseUrl: `${url}/v1`, fallback }] as const;
  const models = new Map([at('main', main, ['other']), at('other', other)]);
  const opened = await openModels({ defaultName: 'main', models }, { clock: hurried, log: silentLog });
  const { channel } = await daemonSetting({ models: opened });
  await channel.askAtRest('hi', 'hello');
  expect([sizes.length, other.chats().length]).toEqual([1, 1]);
});

test('a fallback with a small window gets a request that fits it, and /model shows what each model has', async () => {
  const main = await abilityServer(llamaCpp({ window: 100_000 }));
  const small = await abilityServer(llamaCpp({ window: 4096 }));
  const at = (key: string, { url }: AbilityServer, fallback?: readonly string[]) =>
    [key, { key, provider: 'openai_compatible', name: 'm', baseUrl: `${url}/v1`, fallback }] as const;
  const models = new Map([at('main', main, ['small']), at('small', small)]);
  const opened = await openModels({ defaultName: 'main', models }, { clock: hurried, log: silentLog });
  const { channel } = await daemonSetting({ models: opened });
  await waitUntil(() => [...models.keys()].every((name) => opened.of(name).abilities?.().window !== undefined), {
    what: 'both windows',
  });
  await channel.askAtRest(`a story ${'with many words '.repeat(1500)}`, 'hello');
  const whole = main.chats()[0]?.text.length ?? 0;
  main.state.isDown = true;
  await channel.askAtRest('and now?', 'hello');
  const [chat, ...more] = small.chats();
  expect([more, whole > 20_000, (chat?.text.length ?? whole) / 3.5 < 4096]).toEqual([[], true, true]);
  await channel.ask('/model', /main \(m\)[\s\S]*window 100,000 tokens[\s\S]*small \(m\)[\s\S]*window 4,096 tokens/);
});

test('a server that comes back with another window is asked again, and the limit follows', async () => {
  const server = await abilityServer(llamaCpp());
  const { channel, clock, knows } = await settingOf(server);
  await knows(16_384);
  await channel.askAtRest('hi', 'hello');
  server.state.isDown = true;
  await channel.askAtRest('are you there?', saying(modelWaits(anything, anything)));
  Object.assign(server.state, { isDown: false, routes: llamaCpp({ window: 9000 }) });
  clock.advance(60_000);
  await knows(9000);
  await channel.whenIdle();
  await channel.ask('/context', 'of 9000 tokens');
});
