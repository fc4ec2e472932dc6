import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { innermostError, wasNeverSent } from '../../../src/lib/http.ts';
import { trustCertificates } from '../../../src/lib/network/certificates/certificates.ts';
import { certificateFaultWords } from '../../../src/lib/network/certificates/words.ts';
import { connectionFault } from '../../../src/lib/network/connection-fault.ts';
import { openNetwork } from '../../../src/lib/network/open-network.ts';
import { proxyAddress, proxySettings } from '../../../src/lib/network/proxy-settings.ts';
import { tunnelWords } from '../../../src/lib/network/tunnel/words.ts';
import type { InLanguage } from '../../../src/lib/words.ts';
import { closeServer, freePort, listenOnLoopback } from '../../support/loopback.ts';
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

describe('what is at fault is named', () => {
  /** What a request by fetch, and one of a client with an agent, fail with. */
  async function faultsOf(environment: Readonly<Record<string, string>>, url: string) {
    const network = await networkOf(environment);
    const byFetch: unknown = await network.fetch(url).catch((error: unknown) => error);
    const agent = network.agentFor(url);
    const request = url.startsWith('https') ? httpsRequest : httpRequest;
    const byAgent = await new Promise<unknown>((resolve) =>
      request(url, { agent }, resolve).on('error', resolve).end(),
    );
    agent?.destroy();
    return [byFetch, byAgent].map((error) => ({
      ...connectionFault(error, new URL(url).host),
      words: connectionFault(error, new URL(url).host)?.wordsIn('en'),
      inChinese: connectionFault(error, new URL(url).host)?.wordsIn('zh'),
      isUnsent: wasNeverSent(innermostError(error)),
    }));
  }

  /** The proxy of the environment, as people are told of it. */
  function proxyIn(environment: Readonly<Record<string, string>>) {
    const { https } = proxySettings(undefined, environment).settings;
    if (https === undefined) throw new Error('there is no proxy');
    return { proxy: proxyAddress(https), source: https.source };
  }

  const said = (words: InLanguage) => ({ words: words('en'), inChinese: words('zh') });

  const faultOf = {
    own: ['selfSigned', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    expired: ['expired', 'CERT_HAS_EXPIRED'],
    'other-name': ['otherName', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  } as const;

  const secret = 'hunter22-secret';
  const url = 'https://secure.test/';

  test.each([['http', 'https', 'socks5h'].map((scheme) => [scheme])].flat())(
    'a proxy that does not run (%s)',
    async (scheme) => {
      const environment = { ALL_PROXY: `${scheme}://ada:${secret}@127.0.0.1:${await freePort()}` };
      const { proxy } = proxyIn(environment);
      expect(proxy).toMatch(/^\w+:\/\/127\.0\.0\.1:\d+$/);
      for (const fault of await faultsOf(environment, url)) {
        const words = said((language) => tunnelWords[language].takesNothing({ proxy, source: 'ALL_PROXY' }));
        expect(fault).toMatchObject({ isFinal: false, isUnsent: true, ...words });
      }
    },
  );

  test('a proxy whose name leads nowhere', async () => {
    const [proxy, source] = ['http://nowhere.invalid:3128', 'HTTPS_PROXY'];
    // A machine without a resolver cannot say that there is no such name.
    const words = [
      tunnelWords.en.notFound({ proxy, source }),
      tunnelWords.en.unreached({ proxy }),
      tunnelWords.en.unreachable({ proxy, code: 'EAI_AGAIN' }),
    ];
    for (const fault of await faultsOf({ HTTPS_PROXY: proxy }, url)) {
      expect(fault.isFinal).toBe(false);
      expect(words).toContain(fault.words);
    }
  });

  test.each([
    ['nobody', '', 'wantsPassword'],
    ['a stranger', `eve:${secret}@`, 'wrongPassword'],
  ] as const)('a proxy that is asked by %s', async (_who, credentials, key) => {
    await using proxy = await openProxy({ hosts, login });
    const environment = { HTTPS_PROXY: `http://${credentials}127.0.0.1:${proxy.port}` };
    const facts = { ...proxyIn(environment), mark: '407', example: 'http://NAME:PASSWORD@host:port' };
    const words = said((language) => tunnelWords[language][key](facts));
    for (const fault of await faultsOf(environment, url)) {
      expect(fault).toMatchObject({ isFinal: true, isUnsent: true, ...words });
      expect(fault.words).not.toContain(secret);
    }
  });

  test('a proxy that wants a password before it takes plain http', async () => {
    await using proxy = await openProxy({ hosts, login });
    const network = await through(proxy.url);
    const failure: unknown = await network
      .fetch('http://plain.test/', { method: 'POST', body: 'x' })
      .catch((error: unknown) => error);
    const fault = connectionFault(failure, 'plain.test');
    expect(fault?.isFinal).toBe(true);
    expect(fault?.wordsIn('en')).toContain('(407)');
  });

  test.each([
    [403, true],
    [405, true],
    [429, false],
    [502, false],
    [503, false],
    [504, false],
  ])('a proxy that answers CONNECT with %i', async (refuse, isFinal) => {
    await using proxy = await openProxy({ hosts, refuse });
    const facts = { ...proxyIn({ ALL_PROXY: proxy.url }), place: 'secure.test:443', mark: `${refuse}` };
    const words = said((language) => tunnelWords[language][isFinal ? 'doesNotLetUs' : 'doesNotReach'](facts));
    for (const fault of await faultsOf({ ALL_PROXY: proxy.url }, url))
      expect(fault).toMatchObject({ isFinal, isUnsent: true, ...words });
  });

  test.each([
    [1, false],
    [2, true],
    [4, false],
    [5, false],
    [99, false],
  ])('a SOCKS proxy that answers %i', async (code, isFinal) => {
    await using proxy = await openSocks({ hosts, refuse: code });
    const facts = { ...proxyIn({ ALL_PROXY: proxy.url }), place: 'secure.test:443', code };
    const words = said((language) =>
      tunnelWords[language][isFinal ? 'doesNotLetUsBySocks' : 'doesNotReachBySocks'](facts),
    );
    for (const fault of await faultsOf({ ALL_PROXY: proxy.url }, url))
      expect(fault).toMatchObject({ isFinal, isUnsent: true, ...words });
  });

  test('a SOCKS proxy that wants a password', async () => {
    await using proxy = await openSocks({ hosts, login });
    for (const wrong of [proxy.url, withLogin(proxy.url, { name: 'ada', password: secret })])
      for (const fault of await faultsOf({ ALL_PROXY: wrong }, url)) {
        const facts = { ...proxyIn({ ALL_PROXY: wrong }), mark: 'SOCKS', example: 'socks5://NAME:PASSWORD@host:port' };
        const key = wrong === proxy.url ? 'wantsPassword' : 'wrongPassword';
        expect(fault).toMatchObject({ isFinal: true, words: tunnelWords.en[key](facts) });
        expect(fault.words).not.toContain(secret);
      }
  });

  test.each([
    ['socks5h', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'noSocksProxy'],
    ['http', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', 'noHttpProxy'],
    ['http', '\x05\x00', 'closed'],
    ['socks5h', '', 'closed'],
  ] as const)('a server that is no proxy for %s: %j', async (scheme, answered, key) => {
    const server = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answered)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const environment = { ALL_PROXY: `${scheme}://127.0.0.1:${port}` };
    // The system may say how it was closed.
    const words = [undefined, 'ECONNRESET', 'EPIPE'].map((code) =>
      tunnelWords.en[key]({ ...proxyIn(environment), code }),
    );
    for (const fault of await faultsOf(environment, url)) {
      expect(fault.isUnsent).toBe(true);
      expect(words).toContain(fault.words);
    }
    await new Promise((resolve) => server.close(resolve));
  });

  test.each(['own', 'expired', 'other-name'] as const)('a proxy with the certificate %s', async (certificate) => {
    await using proxy = await openProxy({ hosts, certificate });
    const { proxy: place } = proxyIn({ ALL_PROXY: proxy.url });
    const [key, code] = faultOf[certificate];
    const words = said((language) =>
      tunnelWords[language].unusable({ why: certificateFaultWords[language][key]({ place, code }) }),
    );
    for (const fault of await faultsOf({ ALL_PROXY: proxy.url }, url))
      expect(fault).toMatchObject({ isFinal: true, isUnsent: true, ...words });
  });

  test('the certificate of the target, behind a proxy that works', async () => {
    const expired = tlsServer('expired', (_, response) => response.end());
    await using proxy = await openProxy({ hosts: { 'secure.test': await listenOnLoopback(expired) } });
    const words = certificateFaultWords.en.expired({ place: 'secure.test', code: 'CERT_HAS_EXPIRED' });
    for (const fault of await faultsOf({ ALL_PROXY: proxy.url }, url))
      expect(fault).toMatchObject({ isFinal: true, isUnsent: true, words });
    await closeServer(expired);
  });

  test('an answer of the target is its own, also an error', async () => {
    const failing = createServer((_, response) => response.writeHead(503).end('mine'));
    await using proxy = await openProxy({ hosts: { 'plain.test': await listenOnLoopback(failing) } });
    const answer = await (await through(proxy.url)).fetch('http://plain.test/');
    expect([answer.status, await answer.text()]).toEqual([503, 'mine']);
    await closeServer(failing);
  });
});

test('IPv6 addresses are asked for in the forms of both kinds', async () => {
  const url = 'http://[2001:db8::7]:80/v6';
  await using socks = await openSocks({ hosts });
  expect(await (await through(socks.url)).fetch(url).then((one) => one.json())).toMatchObject({ path: '/v6' });
  expect(socks.asked).toEqual(['2001:db8::7:80']);
});

test('this machine is reached without the proxy, by fetch as by agents', async () => {
  await using proxy = await openProxy({ hosts });
  const network = await through(proxy.url);
  const here = `http://127.0.0.1:${hosts['plain.test']}/here`;
  expect(await network.fetch(here).then((one) => one.json())).toMatchObject({ path: '/here' });
  expect(network.agentFor(here)).toBeUndefined();
  expect(proxy.asked).toEqual([]);
});

test('a request that is called off is called off while the proxy is asked', async () => {
  const silent = createTcpServer(() => {});
  const accepted = once(silent, 'connection');
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const network = await through(
    `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
  );
  const over = new AbortController();
  const asked = network.fetch('https://secure.test/', { signal: over.signal });
  const [socket] = await accepted;
  over.abort();
  await expect(asked).rejects.toThrow('aborted');
  socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});
