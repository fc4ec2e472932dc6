import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { trustCertificates } from '../../../src/lib/network/certificates.ts';
import { openNetwork } from '../../../src/lib/network/open-network.ts';
import { proxySettings } from '../../../src/lib/network/proxy-settings.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { openProxy, openSocks } from '../../support/proxy-server.ts';
import { tlsFile, tlsServer } from '../../support/tls-server.ts';

/** Two servers, which only a proxy finds, as plain.test and secure.test. They repeat what they got. */
const answer = async (request: IncomingMessage, response: import('node:http').ServerResponse): Promise<void> => {
  response.end(
    JSON.stringify({
      path: request.url,
      host: request.headers.host,
      body: await text(request),
      proxied: request.headers['proxy-authorization'],
    }),
  );
};
const plain = createServer(answer);
const secure = tlsServer('company', answer);
const sockets = new WebSocketServer({ noServer: true });
const hosts: Record<string, number> = {};

beforeAll(async () => {
  for (const server of [plain, secure])
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (one) => one.on('message', (data) => one.send(`heard ${data}`))),
    );
  hosts['plain.test'] = await listenOnLoopback(plain);
  hosts['secure.test'] = await listenOnLoopback(secure);
  hosts['2001:db8::7'] = hosts['plain.test'];
  trustCertificates([tlsFile('authority.pem')]);
});

afterAll(async () => {
  trustCertificates([]);
  await Promise.all([plain, secure].map(closeServer));
});

const login = { name: 'ada', password: 'p@ss:w/örd%' };
const networkOf = (environment: Readonly<Record<string, string>>) =>
  openNetwork(proxySettings(undefined, environment).settings);
const through = (url: string) => networkOf({ ALL_PROXY: url });
const withLogin = (url: string, { name, password }: typeof login) =>
  url.replace('//', `//${encodeURIComponent(name)}:${encodeURIComponent(password)}@`);

const kinds = [
  { kind: 'http', open: openProxy, isSocks: false },
  {
    kind: 'https',
    open: (options: Parameters<typeof openProxy>[0]) => openProxy({ ...options, certificate: 'company' }),
    isSocks: false,
  },
  { kind: 'socks5', open: openSocks, isSocks: true },
] as const;

describe.each(kinds)('a proxy that speaks $kind', ({ open, isSocks }) => {
  test.each([undefined, login])('takes requests by fetch, with the login %o', async (wanted) => {
    await using proxy = await open({ hosts, ...(wanted && { login: wanted }) });
    const network = await through(wanted === undefined ? proxy.url : withLogin(proxy.url, wanted));
    const form = new FormData();
    form.set('file', new Blob(['x'.repeat(100_000)]), 'a.txt');
    const answers: readonly unknown[] = await Promise.all([
      network.fetch('http://plain.test/a?b=c', { method: 'POST', body: 'words' }).then((one) => one.json()),
      network.fetch('https://secure.test/d', { method: 'POST', body: form }).then((one) => one.json()),
    ]);
    expect(answers).toMatchObject([
      { path: '/a?b=c', host: 'plain.test', body: 'words' },
      { path: '/d', host: 'secure.test', body: expect.stringContaining('xxx') },
    ]);
    expect(JSON.stringify(answers)).not.toContain('"proxied"');
    expect(proxy.faults).toEqual([]);
    const expected = isSocks ? ['plain.test:80', 'secure.test:443'] : ['CONNECT secure.test:443', 'POST plain.test'];
    expect(proxy.asked.toSorted()).toEqual(expected);
  });

  test('takes requests of clients with an agent', async () => {
    await using proxy = await open({ hosts, login });
    const network = await through(withLogin(proxy.url, login));
    for (const [url, request] of [
      ['http://plain.test/x', httpRequest],
      ['https://secure.test/y', httpsRequest],
    ] as const) {
      const agent = network.agentFor(url);
      const found = await new Promise<IncomingMessage>((resolve, reject) => {
        request(url, { agent, method: 'POST', headers: { 'content-length': 3 } }, resolve)
          .on('error', reject)
          .end('abc');
      });
      expect(JSON.parse(await text(found))).toMatchObject({
        path: new URL(url).pathname,
        host: new URL(url).host,
        body: 'abc',
      });
      agent?.destroy();
    }
    expect(proxy.faults).toEqual([]);
    expect(proxy.asked).toHaveLength(2);
  });

  test.each(['ws://plain.test/s', 'wss://secure.test/s'])('takes the web socket %s', async (url) => {
    await using proxy = await open({ hosts, login });
    const network = await through(withLogin(proxy.url, login));
    const socket = new WebSocket(url, { agent: network.agentFor(url) });
    const heard = new Promise((resolve, reject) =>
      socket.on('error', reject).on('message', (data) => resolve(String(data))),
    );
    socket.on('open', () => socket.send('hello'));
    expect(await heard).toBe('heard hello');
    socket.terminate();
    expect(proxy.faults).toEqual([]);
  });
});
