import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openNetwork } from '../../src/lib/network/open-network.ts';
import { proxySettings } from '../../src/lib/network/proxy-settings.ts';
import { tunnelWords } from '../../src/lib/network/tunnel/words.ts';
import { createModel } from '../../src/models/create-model.ts';
import { modelWords } from '../../src/models/words.ts';
import { openProxy, openSocks } from '../support/proxy-server.ts';
import { answerOf, failureOf, request } from './ask.ts';
import { chunk, sendStream, sse, startWireServer } from './wire-server.ts';

const say = modelWords.en;
const tunnel = tunnelWords.en;
const secret = 'hunter22-secret';

async function modelThrough(proxy: string, baseUrl = 'http://model.test/v1', more: Record<string, string> = {}) {
  const network = await openNetwork(proxySettings(undefined, { ALL_PROXY: proxy, ...more }).settings);
  const named = { key: 'main', provider: 'openai_compatible', name: 'm', apiKey: 'secret-key-1', baseUrl } as const;
  return createModel(named, systemClock, network);
}

/** What people read of a failure, and whether it is waited for. */
async function failureThrough(proxy: string, baseUrl?: string) {
  const { error } = await failureOf(await modelThrough(proxy, baseUrl), request('hello'));
  expect(error.message).not.toContain(secret);
  return [error.fault, error.message] as const;
}

const unreachable = (told: string): string => say.unreachable({ modelKey: 'main', told });

/** A proxy that says this to whatever it is asked, and how it leaves. */
async function proxyThatSays(words: string, leave?: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('data', () => socket.write(words, () => leave?.(socket)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${address.port}`;
}

const page = '<html>Blocked</html>';
const answer = (head: string, body: string): string =>
  `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const html = 'Content-Type: text/html; charset=utf-8';

describe('a model server that is reached by http, through a proxy that', () => {
  test.each([
    ['answers with a page', answer(`502 No\r\n${html}`, page), 'transient', 502],
    ['is too busy, by a page', answer(`503 No\r\n${html}`, page), 'transient', 503],
    ['forbids it by a page', answer(`403 No\r\n${html}`, page), 'unavailable', 403],
    ['says that it is one', answer('502 No\r\nProxy-Status: p; error=connection_refused', ''), 'transient', 502],
  ])('%s: the proxy is named', async (_what, words, fault, status) => {
    const proxy = await proxyThatSays(words);
    const facts = { proxy, place: 'model.test', mark: `${status}` };
    const told = fault === 'transient' ? tunnel.doesNotReach(facts) : tunnel.doesNotLetUs(facts);
    expect(await failureThrough(proxy)).toEqual([fault, unreachable(told)]);
  });

  test.each([
    ['an error of its own', answer('502 No\r\nContent-Type: application/json', '{"error":{"message":"busy"}}'), 502],
    ['words', answer('504 No\r\nContent-Type: text/plain', 'late'), 504],
  ])('hands on %s: the server is named', async (_what, words, status) => {
    const proxy = await proxyThatSays(words);
    const [fault, told] = await failureThrough(proxy);
    expect(fault).toBe('transient');
    expect(told).toContain(say.noAnswer({ modelKey: 'main', status }));
  });

  test.each([
    ['nobody', '', 'wantsPassword'],
    ['a stranger', `eve:${secret}@`, 'wrongPassword'],
  ] as const)('wants a password, asked by %s: that is said, and it is not asked again', async (_who, login, key) => {
    await using proxy = await openProxy({ hosts: {}, login: { name: 'ada', password: 'x' } });
    const facts = { proxy: proxy.url, source: 'ALL_PROXY', mark: '407', example: 'http://NAME:PASSWORD@host:port' };
    const failure = await failureThrough(proxy.url.replace('//', `//${login}`));
    expect(failure).toEqual(['unavailable', unreachable(tunnel[key](facts))]);
    expect(proxy.asked).toEqual(['POST model.test']);
  });

  test.each([
    ['closes', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('%s the connection: it may be asked again', async (_what, leave) => {
    const [fault, words] = await failureThrough(await proxyThatSays('', leave));
    expect([fault, words.startsWith(say.connectionFailed({ modelKey: 'main', code: '' }).slice(0, 30))]).toEqual([
      'transient',
      true,
    ]);
  });

  test('is none: what answers does not speak HTTP', async () => {
    const proxy = await proxyThatSays('SSH-2.0-OpenSSH_9.9\r\n');
    const facts = { modelKey: 'main', baseUrl: 'http://model.test/v1', code: 'HPE_INVALID' };
    expect(await failureThrough(proxy)).toEqual(['unavailable', say.wrongProtocol(facts)]);
  });

  test('breaks off within an answer: what came is shown, and it may go on', async () => {
    const half = sse(chunk({ content: 'Half' }));
    const words = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`;
    const model = await modelThrough(await proxyThatSays(words, (socket) => socket.destroy()));
    const { error, shown } = await failureOf(model, request('hello'));
    expect([error.fault, shown]).toEqual(['transient', [{ type: 'text', delta: 'Half' }]]);
  });
});

test.each([
  [407, 'unavailable'],
  [403, 'unavailable'],
  [502, 'transient'],
])('a proxy that answers CONNECT with %i is named, whatever it is asked by https', async (refuse, fault) => {
  await using proxy = await openProxy({ hosts: {}, refuse });
  const [found, words] = await failureThrough(proxy.url, 'https://model.test/v1');
  expect([found, words.includes(proxy.url), words.includes(`(${refuse})`)]).toEqual([fault, true, true]);
});

test('a server is asked through proxies of both kinds, and without one where NO_PROXY says so', async () => {
  const wire = await startWireServer((response) => sendStream(response, sse(chunk({ content: 'Hi' }, 'stop'))));
  const hosts = { 'model.test': Number(new URL(wire.url).port) };
  await using http = await openProxy({ hosts, login: { name: 'ada', password: secret } });
  await using socks = await openSocks({ hosts });
  const hi = { parts: [{ text: 'Hi' }] };
  const login = http.url.replace('//', `//ada:${secret}@`);
  expect(await answerOf(await modelThrough(login), request('hello'))).toMatchObject(hi);
  expect(await answerOf(await modelThrough(socks.url), request('hello'))).toMatchObject(hi);
  const near = await modelThrough(login, `${wire.url}/v1`, { NO_PROXY: '127.0.0.1' });
  expect(await answerOf(near, request('hello'))).toMatchObject(hi);
  expect([http.asked, http.faults, socks.asked]).toEqual([['POST model.test'], [], ['model.test:80']]);
});
