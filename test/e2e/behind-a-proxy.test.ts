import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import { SlackServer } from '../../packages/fakes/src/slack-server.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { ModelServer } from '../support/model-server.ts';
import { openProxy, openSocks } from '../support/proxy-server.ts';
import { tlsFront, tlsPath } from '../support/tls-server.ts';
import { waitUntil } from '../support/wait-for.ts';
import { daemonConfig, modelEnvironment, variable } from './daemon-config.ts';

/*
 * All that Keyturn talks with has names that only the proxies know, and certificates of an authority that only the config
 * names: what does not go through the proxy, or does not trust it, reaches nothing.
 */

const domain = 'secure.test';
const onTelegram = 42;
const onDiscord = '100000000000000001';
const login = { name: 'keyturn', password: '密码 p@ss:word' };

const requestShape = z.object({ id: z.union([z.number(), z.string()]).optional(), method: z.string() });

/** An MCP server with one tool, over HTTP. */
const mcp = createServer(async (request: IncomingMessage, response: ServerResponse) => {
  const { data } = requestShape.safeParse(request.method === 'POST' ? await json(request) : undefined);
  if (data?.id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'far', version: '1' },
    },
    'tools/list': {
      tools: [{ name: 'weather', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    },
    'tools/call': { content: [{ type: 'text', text: 'rain in Hangzhou' }] },
  };
  const result = results[data.method];
  const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: data.id, ...answer }));
});

const page = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end(`The page of ${request.headers.host}`);
});

async function open() {
  const stack = new AsyncDisposableStack();
  const [telegram, slack, discord, model] = await Promise.all([
    TelegramServer.start(),
    SlackServer.start({ shownAs: `slack.${domain}` }),
    DiscordServer.start({ shownAs: `discord.${domain}` }),
    ModelServer.start(),
  ]);
  const ports = {
    telegram: Number(new URL(telegram.root).port),
    slack: slack.port,
    discord: discord.port,
    llm: Number(new URL(model.url).port),
    mcp: await listenOnLoopback(mcp),
    page: await listenOnLoopback(page),
  };
  const hosts: Record<string, number> = {};
  for (const [name, port] of Object.entries(ports))
    hosts[`${name}.${domain}`] = stack.use(await tlsFront('company', port)).port;
  hosts['10.0.0.5'] = ports.page;
  hosts.intranet = ports.page;
  hosts['plain.example'] = ports.page;
  const proxy = stack.use(await openProxy({ hosts, login }));
  const socks = stack.use(await openSocks({ hosts, login }));
  const close = async (): Promise<void> => {
    await Promise.all([telegram, slack, discord, model].map((server) => server.close()));
    await Promise.all([mcp, page].map(closeServer));
    await stack.disposeAsync();
  };
  return { telegram, slack, discord, model, proxy, socks, hosts, close };
}

let all: Awaited<ReturnType<typeof open>>;
let daemon: DaemonProcess;
let slackChat: string;
let discordChat: string;

const withLogin = (port: number, scheme: string): string =>
  `${scheme}://${encodeURIComponent(login.name)}:${encodeURIComponent(login.password)}@127.0.0.1:${port}`;

function config(network: object): Record<string, unknown> {
  const { slack, discord, model } = all;
  const channels = {
    terminal: { enabled: false },
    telegram: { enabled: true, token: all.telegram.token, api_root: `https://telegram.${domain}` },
    slack: { enabled: true, api_url: slack.apiUrl, bot_token: slack.botToken, app_token: slack.appToken },
    discord: { enabled: true, api_url: discord.apiUrl, token: discord.token },
  };
  const owners = [`telegram:${onTelegram}`, `slack:${slack.home.installation.teamId}/U0OWNER`, `discord:${onDiscord}`];
  return {
    ...daemonConfig({
      model,
      owners,
      channels,
      config: { delivery: { max_messages: 2, ambiguous_retry_after_ms: 200 } },
    }),
    models: {
      main: {
        provider: 'openai_compatible',
        name: 'test',
        base_url: `https://llm.${domain}/v1`,
        api_key: variable('TEST_MODEL_KEY'),
      },
    },
    mcp_servers: { far: { url: `https://mcp.${domain}/mcp`, category: 'network_read', trusted: true } },
    security: { taint: 'off' },
    network: { ca_file: tlsPath('authority.pem'), ...network },
  };
}

beforeAll(async () => {
  all = await open();
  slackChat = all.slack.home.addDirect('U0OWNER');
  discordChat = all.discord.direct(onDiscord);
  daemon = DaemonProcess.start({
    config: config({}),
    env: {
      ...modelEnvironment,
      HTTPS_PROXY: withLogin(all.proxy.port, 'http'),
      ALL_PROXY: withLogin(all.proxy.port, 'http'),
    },
  });
  await all.telegram.waitFor(() => all.telegram.polls > 0, { describe: () => daemon.output });
  await all.slack.waitFor(() => all.slack.sockets.count > 0, { describe: () => daemon.output });
  await all.discord.waitUntilReady();
});

afterAll(async () => {
  await daemon.dispose();
  await all.close();
});

test('all three platforms and the model are reached through the proxy', async () => {
  const { telegram, slack, discord, proxy } = all;
  telegram.say(onTelegram, '你好');
  await telegram.waitForMessage(onTelegram, 'echo: 你好');
  slack.say(slackChat, 'こんにちは');
  await slack.waitForMessage(slackChat, 'echo: こんにちは');
  discord.say(discordChat, '안녕하세요');
  await discord.waitForMessage(discordChat, 'echo: 안녕하세요');
  expect(proxy.faults).toEqual([]);
  const reached = ['telegram', 'slack', 'discord', 'llm', 'mcp'].map((name) => `CONNECT ${name}.${domain}:443`);
  expect(proxy.asked).toEqual(expect.arrayContaining(reached));
});

test('files come and go through it on all three', async () => {
  const { telegram, slack, discord } = all;
  const long = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ');
  all.model.onUser('tell me all', long);
  const bytes = Buffer.from('what is in the file');
  telegram.people.send(onTelegram, { type: 'document', bytes, name: 'a.txt' }, { caption: 'see this' });
  await telegram.waitForMessage(onTelegram, /echo: .*see this/s);
  discord.say(discordChat, 'see this', { files: [{ name: 'a.txt', bytes }] });
  await discord.waitForMessage(discordChat, /echo: .*see this/s);
  const told = JSON.stringify(all.model.requests);
  expect(told.match(/received\/[^"\\ ]*a\.txt/g)?.length ?? 0).toBeGreaterThan(0);
  slack.say(slackChat, 'tell me all');
  await slack.waitFor(() =>
    slack.chat(slackChat).some(({ files }) => files.some((file) => Buffer.from(file.bytes).toString() === long)),
  );
  telegram.say(onTelegram, 'tell me all');
  await telegram.waitFor(() =>
    telegram.chat(onTelegram).some(({ file }) => file !== undefined && Buffer.from(file.bytes).toString() === long),
  );
});

test('web tools and MCP servers are reached through it; private hosts are not, though the proxy would', async () => {
  const { telegram, model, proxy } = all;
  const calls = [
    ['web_fetch', { url: `https://page.${domain}/` }, /The page of page\.secure\.test/],
    ['web_fetch', { url: 'http://plain.example/' }, /The page of plain\.example/],
    ['far_weather', {}, /rain in Hangzhou/],
    ['web_fetch', { url: 'http://10.0.0.5/' }, /10\.0\.0\.5 is this machine or in its private network/],
    ['web_fetch', { url: 'http://intranet/' }, /There is no host intranet/],
    ['web_fetch', { url: 'http://169.254.169.254/' }, /169\.254\.169\.254 is this machine/],
    ['web_fetch', { url: 'http://nas.local/' }, /nas\.local is this machine/],
  ] as const;
  for (const [index, [name, given, wanted]] of calls.entries()) {
    model.onUser(`call ${index}`, { calls: [{ name, arguments: given }] });
    model.onResult(wanted, `right ${index}`);
    telegram.say(onTelegram, `call ${index}`);
    await telegram.waitForMessage(onTelegram, `right ${index}`);
  }
  expect(proxy.asked).toContain('GET plain.example');
  expect(proxy.asked.join()).not.toMatch(/10\.0\.0\.5|intranet|169\.254|nas\.local/);
});

test('a proxy is named at the start and in /status, and its password nowhere', async () => {
  const { telegram, proxy } = all;
  telegram.say(onTelegram, '/status details');
  const shown = `http://127.0.0.1:${proxy.port} (HTTPS_PROXY); not for this machine and private hosts`;
  await telegram.waitForMessage(onTelegram, `Proxy: ${shown}`);
  expect(daemon.output).toContain(`Proxy     ${shown}`);
  const texts = [daemon.output, ...telegram.chat(onTelegram).map(({ text }) => text)].join('\n');
  for (const secret of [
    login.password,
    encodeURIComponent(login.password),
    Buffer.from(`${login.name}:${login.password}`).toString('base64'),
  ])
    expect(texts).not.toContain(secret);
});

test('a changed proxy takes hold while it runs, for what is connected too', async () => {
  const { telegram, slack, discord, proxy, socks } = all;
  const { polls } = telegram;
  daemon.writeConfig(config({ proxy: withLogin(socks.port, 'socks5h') }));
  const reached = ['telegram', 'slack', 'discord', 'mcp'].map((name) => `${name}.${domain}:443`);
  await waitUntil(() => telegram.polls > polls && reached.every((place) => socks.asked.includes(place)), {
    what: 'all to come by the other proxy',
    describe: () => `${socks.asked.join()}\n${daemon.output}`,
  });
  const before = proxy.asked.length;
  telegram.say(onTelegram, 'by another way?');
  await telegram.waitForMessage(onTelegram, 'echo: by another way?');
  slack.say(slackChat, 'by another way?');
  await slack.waitForMessage(slackChat, 'echo: by another way?');
  discord.say(discordChat, 'by another way?');
  await discord.waitForMessage(discordChat, 'echo: by another way?');
  expect(socks.asked).toContain(`llm.${domain}:443`);
  expect(socks.faults).toEqual([]);
  expect(proxy.asked.length).toBe(before);
});
