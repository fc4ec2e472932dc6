import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { innermostError, wasNeverSent } from '../../../src/lib/http.ts';
import { trustCertificates } from '../../../src/lib/network/certificates/certificates.ts';
import { connectionFault } from '../../../src/lib/network/connection-fault.ts';
import {
  createKeptRequests,
  type IncomingAnswer,
  type OutgoingRequest,
} from '../../../src/lib/network/kept-requests.ts';
import { directNetwork } from '../../../src/lib/network/network.ts';
import { openNetwork } from '../../../src/lib/network/open-network.ts';
import { proxySettings } from '../../../src/lib/network/proxy-settings.ts';
import { closeServer, freePort, listenOnLoopback } from '../../support/loopback.ts';
import { openProxy } from '../../support/proxy-server.ts';
import { tlsFile, tlsServer } from '../../support/tls-server.ts';

const requests = createKeptRequests();
afterEach(() => requests.close());

beforeAll(() => trustCertificates([tlsFile('authority.pem')]));
afterAll(() => trustCertificates([]));

/** A server, and how many connections it has taken. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  const connections = { count: 0 };
  server.on('connection', () => {
    connections.count += 1;
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return { server, connections, url: new URL(`http://127.0.0.1:${port}/a?b=c`) };
}

/** A server that speaks by hand. The script is given each connection after its first request has come. */
async function speak(script: (socket: Socket, number: number) => void): Promise<URL> {
  let number = 0;
  const server = createTcpServer((socket) => {
    const own = number;
    number += 1;
    socket.on('error', () => {}).once('data', () => script(socket, own));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return new URL(`http://127.0.0.1:${address.port}/`);
}

const post = (url: URL, body: OutgoingRequest['body'] = 'words', more: Partial<OutgoingRequest> = {}) =>
  requests.send({ url, method: 'POST', headers: {}, body, ...more });
const get = (url: URL, more: Partial<OutgoingRequest> = {}) =>
  requests.send({ url, method: 'GET', headers: {}, ...more });
const read = ({ body }: IncomingAnswer): Promise<string> => text(body);
const fault = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

test('requests one after another share a connection', async () => {
  const { url, connections } = await serve(async (request, response) => {
    response.setHeader('x-length', request.headers['content-length'] ?? 'none');
    response.end(`${request.method} ${request.url} ${request.headers.authorization} ${await text(request)}`);
  });
  for (const [body, length] of [
    ['wörds', '6'],
    [Buffer.from('bytes'), '5'],
    ['', '0'],
  ] as const) {
    const answer = await post(url, body, { headers: { authorization: 'Bearer x' } });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-length': length } });
    expect(await read(answer)).toBe(`POST /a?b=c Bearer x ${body}`);
  }
  expect(await read(await get(url))).toBe('GET /a?b=c undefined ');
  expect(connections.count).toBe(1);
});

test('a hundred requests at once wait for none of them', async () => {
  const open: (() => void)[] = [];
  const { url } = await serve((_request, response) => {
    response.write('begun ');
    open.push(() => response.end('ended'));
    if (open.length === 100) for (const end of open) end();
  });
  const answers = await Promise.all(Array.from({ length: 100 }, () => get(url).then(read)));
  expect(new Set(answers)).toEqual(new Set(['begun ended']));
});

test('a body in pieces is sent as it comes, and answered as it is written', async () => {
  const { url } = await serve((request, response) => request.pipe(response));
  const { promise: echoed, resolve } = Promise.withResolvers<void>();
  const pieces = async function* () {
    yield Buffer.from('one');
    await echoed;
    yield Buffer.from('two');
    yield Buffer.alloc(1_000_000, 'x');
  };
  const { body } = await post(url, pieces());
  let all = '';
  for await (const chunk of body) {
    all += Buffer.from(chunk).toString();
    if (all === 'one') resolve();
  }
  expect(all).toBe(`onetwo${'x'.repeat(1_000_000)}`);
});

test('an error of the body that is sent is that of the request', async () => {
  const { url } = await serve((request, response) => void request.resume().on('end', () => response.end()));
  const broken = new Error('the disk is gone');
  const pieces = async function* () {
    yield Buffer.from('one');
    throw broken;
  };
  expect(await fault(post(url, pieces(), { isRepeatable: true }))).toBe(broken);
});

test.each([
  ['gzip', gzipSync],
  ['X-Gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['identity', (bytes: Buffer) => bytes],
  ['deflate, gzip', (bytes: Buffer) => gzipSync(deflateSync(bytes))],
])('what is compressed as %s is decompressed', async (coding, compress) => {
  const long = 'Grüße '.repeat(20_000);
  const { url, connections } = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end(compress(Buffer.from(long))),
  );
  for (const _again of [1, 2]) expect(await read(await get(url))).toBe(long);
  expect(connections.count).toBe(1);
});

test('what is compressed three times is an error: each time takes memory', async () => {
  const { url } = await serve((_request, response) =>
    response
      .writeHead(200, { 'content-encoding': 'gzip, gzip, gzip' })
      .end(gzipSync(gzipSync(gzipSync(Buffer.from('words'))))),
  );
  expect(await fault(get(url).then(read))).toMatchObject({ message: expect.stringContaining('gzip, gzip, gzip') });
});

test.each(['lzma', 'zstd', 'gzip'])('what is not the %s that it is said to be is an error', async (coding) => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end('neither'),
  );
  expect(await fault(get(url).then(read))).toBeInstanceOf(Error);
});

test.each([
  ['with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
  ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ['in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\nhalf'],
  ['with nonsense', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n'],
])('a body that is cut %s throws after what has come', async (_way, written) => {
  const url = await speak((socket) => socket.end(written));
  const { body } = await get(url);
  const seen: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const chunk of body) seen.push(Buffer.from(chunk).toString());
  };
  expect(innermostError(await fault(reading()))).toMatchObject({ code: 'ECONNRESET' });
  expect(seen.join('')).toBe('half');
});

test('an answer that switches to another protocol is an error, and ends the request', async () => {
  const url = await speak((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  );
  const error = await post(url).catch((fault: unknown) => fault);
  expect(innermostError(error).code).toBe('ECONNRESET');
});

test('a reset within a body throws', async () => {
  const url = await speak((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy());
  });
  expect(innermostError(await fault(get(url).then(read)))).toMatchObject({ code: 'ECONNRESET' });
});

test('an answer of HTTP/1.0 ends with its connection', async () => {
  const url = await speak((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it'));
  for (const _again of [1, 2]) expect(await read(await get(url))).toBe('all of it');
});

test('hints before the answer are not the answer, and an answer may have no body', async () => {
  const url = await speak((socket) =>
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
  );
  const answer = await get(url);
  expect(answer.status).toBe(204);
  expect(await read(answer)).toBe('');
});

test.each([
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}`, /^HPE_HEADER_OVERFLOW$/],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', /^HPE_/],
  ['nothing', '', /^ECONNRESET$/],
])('a server that says %s is an error with a code', async (_what, written, code) => {
  const url = await speak((socket) => socket.end(written));
  const error = innermostError(await fault(post(url, 'x', { isRepeatable: true })));
  expect(error.code).toMatch(code);
  expect(wasNeverSent(error)).toBe(false);
});

test('nobody listens, or nobody of that name: nothing was sent', async () => {
  const port = await freePort();
  for (const address of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `https://127.0.0.1:${port}`]) {
    const error = innermostError(await fault(post(new URL(address))));
    expect(error.code).toBe('ECONNREFUSED');
    expect(wasNeverSent(error)).toBe(true);
  }
});

test('a server that is found under one family of addresses only is reached', async () => {
  const { url, connections } = await serve((_request, response) => response.end('here'));
  // The name has an address of either family, and only that of IPv4 answers.
  expect(await read(await get(new URL(`http://localhost:${url.port}/`)))).toBe('here');
  expect(connections.count).toBe(1);
});

test('a certificate that is not trusted is named, and one that is carries requests', async () => {
  for (const [certificate, isTrusted] of [
    ['company', true],
    ['own', false],
  ] as const) {
    const server = tlsServer(certificate, (_request, response) => response.end('secret'));
    const port = await listenOnLoopback(server);
    onTestFinished(() => closeServer(server));
    const answer = get(new URL(`https://127.0.0.1:${port}/`)).then(read);
    if (isTrusted) expect(await answer).toBe('secret');
    else {
      const error = await fault(answer);
      expect(wasNeverSent(innermostError(error))).toBe(true);
      expect(connectionFault(error, 'there')).toMatchObject({ isFinal: true });
    }
  }
});

test('requests go through the proxy', async () => {
  const { url } = await serve((request, response) => response.end(`${request.headers.host}`));
  await using proxy = await openProxy({ hosts: { 'plain.test': Number(url.port) } });
  const network = await openNetwork(proxySettings(undefined, { ALL_PROXY: proxy.url }).settings);
  const proxied = createKeptRequests(network);
  const away = new URL('http://plain.test/');
  for (const _again of [1, 2])
    expect(await read(await proxied.send({ url: away, method: 'GET', headers: {} }))).toBe('plain.test');
  proxied.close();
  expect(proxy.asked).toHaveLength(2);
});

test('what is called off before, while and after it is answered rejects with the reason', async () => {
  const seen: IncomingMessage[] = [];
  const { url } = await serve((request, response) => {
    seen.push(request);
    if (request.method === 'GET') response.write('begun');
  });
  const reason = new Error('the person said stop');
  expect(await fault(get(url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(seen).toHaveLength(0);

  const during = new AbortController();
  const waiting = fault(post(url, 'x', { signal: during.signal, isRepeatable: true }));
  await expect.poll(() => seen.length).toBe(1);
  during.abort(reason);
  expect(await waiting).toBe(reason);

  const after = new AbortController();
  const { body } = await get(url, { signal: after.signal });
  const reading = body[Symbol.asyncIterator]();
  expect((await reading.next()).value?.toString()).toBe('begun');
  const next = fault(reading.next());
  after.abort(reason);
  expect(await next).toBe(reason);
  // Not even what came before can be read.
  expect(await fault(reading.next())).toBe(reason);
  await expect.poll(() => seen.map(({ socket }) => socket.destroyed)).toEqual([true, true]);
  expect(seen).toHaveLength(2);
});

test('what came and was called off before it was read is not taken for the whole', async () => {
  const { url } = await serve((_request, response) => void response.write('begun'));
  const controller = new AbortController();
  const answer = await get(url, { signal: controller.signal });
  controller.abort();
  expect(await fault(read(answer))).toMatchObject({ name: 'AbortError' });
});

test('what is called off when all of it has come is read no further', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(8_000_000, 'x'))),
  );
  const controller = new AbortController();
  const reading = (await get(url, { signal: controller.signal })).body[Symbol.asyncIterator]();
  await reading.next();
  // The connection is free again: nothing more comes.
  await read(await get(url));
  controller.abort();
  expect(await fault(Promise.resolve(reading.next()))).toMatchObject({ name: 'AbortError' });
});

test('signals are let go when the answer has ended', async () => {
  const { url } = await serve((_request, response) => response.end('all'));
  const controller = new AbortController();
  const { signal } = controller;
  const [begun, ended] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
  await read(await get(url, { signal }));
  await expect.poll(() => ended.mock.calls).toEqual(begun.mock.calls);
  expect(begun).toHaveBeenCalledOnce();
});

test('a reader that leaves, and one that calls off, close the connection; a whole answer keeps it', async () => {
  const sockets: Socket[] = [];
  const { url, connections } = await serve(({ socket, url: path }, response) => {
    if (path === '/whole') return response.end('all');
    sockets.push(socket);
    return response.write('begun');
  });
  for await (const _chunk of (await get(url)).body) break;
  (await get(url)).cancel();
  await expect.poll(() => sockets.map((one) => one.destroyed)).toEqual([true, true]);
  const whole = new URL('/whole', url);
  const answer = await get(whole);
  expect(await read(answer)).toBe('all');
  answer.cancel();
  expect(await read(await get(whole))).toBe('all');
  expect(connections.count).toBe(3);
});

test('a server is held back until its answer is read', async () => {
  const size = 32_000_000;
  const written: ServerResponse[] = [];
  const { url } = await serve((_request, response) => {
    written.push(response.end(Buffer.alloc(size)));
  });
  const { body } = await get(url);
  const reading = body[Symbol.asyncIterator]();
  await reading.next();
  // Beyond what the system holds for both ends.
  expect(written[0]?.writableLength).toBeGreaterThan(size / 2);
  let rest = 0;
  for await (const chunk of body) rest += chunk.byteLength;
  expect(rest).toBeGreaterThan(size / 2);
  await expect.poll(() => written[0]?.writableFinished).toBe(true);
});

/** Closes a kept connection when the second request comes over it; answers all others. */
function dying(asked: string[]): Promise<URL> {
  return speak((socket, number) => {
    asked.push(`connection ${number}`);
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    socket.once('data', () => {
      asked.push('dies');
      socket.resetAndDestroy();
    });
  });
}

test('a kept connection that has died is another one for what may be repeated, and an error for all else', async () => {
  const asked: string[] = [];
  const url = await dying(asked);
  expect(await read(await post(url))).toBe('ok');
  expect(await read(await post(url, 'x', { isRepeatable: true }))).toBe('ok');
  expect(asked).toEqual(['connection 0', 'dies', 'connection 1']);
  const error = innermostError(await fault(post(url)));
  expect(error.code).toMatch(/^(?:ECONNRESET|EPIPE)$/);
  expect(wasNeverSent(error)).toBe(false);
  expect(asked).toHaveLength(4);
});

test('a kept connection that dies later may have done what was asked, and nothing is asked twice', async () => {
  const asked: string[] = [];
  const url = await dying(asked);
  let milliseconds = 0;
  const slow = createKeptRequests(directNetwork, () => {
    milliseconds += 4_000;
    return milliseconds;
  });
  onTestFinished(() => slow.close());
  const ask = () => slow.send({ url, method: 'POST', headers: {}, body: 'x', isRepeatable: true });
  expect(await read(await ask())).toBe('ok');
  expect(innermostError(await fault(ask())).code).toMatch(/^(?:ECONNRESET|EPIPE)$/);
  expect(asked).toEqual(['connection 0', 'dies']);
});

test('of several connections that have died at once, one is tried', async () => {
  const asked: string[] = [];
  const url = await dying(asked);
  await Promise.all([1, 2, 3].map(() => post(url).then(read)));
  expect(await read(await post(url, 'x', { isRepeatable: true }))).toBe('ok');
  expect(asked.filter((one) => one === 'dies')).toHaveLength(1);
});

test('a new connection that dies is not tried again', async () => {
  let count = 0;
  const url = await speak((socket) => {
    count += 1;
    socket.resetAndDestroy();
  });
  expect(innermostError(await fault(post(url, 'x', { isRepeatable: true })))).toMatchObject({ code: 'ECONNRESET' });
  expect(count).toBe(1);
});

test.each([
  ['timeout=1', 2],
  ['timeout=600', 1],
])('a server that keeps connections with %s gets %i of them', async (hint, wanted) => {
  const { url, connections } = await serve((_request, response) =>
    response.writeHead(200, { 'keep-alive': hint }).end('ok'),
  );
  // With so short a time it may close just when the next request is written.
  for (const _again of [1, 2]) expect(await read(await get(url))).toBe('ok');
  expect(connections.count).toBe(wanted);
});

test('a server that closes each connection gets a new one for each', async () => {
  const { url, connections } = await serve((_request, response) =>
    response.writeHead(200, { connection: 'close' }).end('ok'),
  );
  for (const _again of [1, 2, 3]) expect(await read(await get(url))).toBe('ok');
  expect(connections.count).toBe(3);
});

test('closing ends what is under way, and later requests connect again', async () => {
  const { url, connections } = await serve(({ url: path }, response) => {
    if (path === '/now') response.end('ok');
    else if (path === '/half') response.write('begun');
  });
  const silent = fault(get(url));
  const half = await get(new URL('/half', url));
  await expect.poll(() => connections.count).toBe(2);
  requests.close();
  expect(innermostError(await silent)).toMatchObject({ code: 'ECONNRESET' });
  expect(innermostError(await fault(read(half)))).toMatchObject({ code: 'ECONNRESET' });
  expect(await read(await get(new URL('/now', url)))).toBe('ok');
  expect(connections.count).toBe(3);
});

test('what cannot be an HTTP request is an error, without what it holds', async () => {
  for (const request of [
    get(new URL('ftp://127.0.0.1/')),
    get(new URL('http://a/'), { headers: { key: 'se\ncret' } }),
  ]) {
    const error = await fault(request);
    expect(String(error)).toMatch(/protocol|header/i);
    expect(String(error)).not.toContain('cret');
  }
});

test('a kept connection does not keep the process', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'keep-alive': 'timeout=600' }).end('ok'),
  );
  const file = new URL('../../../src/lib/network/kept-requests.ts', import.meta.url);
  const program = `
    const { createKeptRequests } = await import(${JSON.stringify(String(file))});
    const answer = await createKeptRequests().send({ url: new URL(${JSON.stringify(String(url))}), method: 'GET', headers: {} });
    for await (const chunk of answer.body) process.stdout.write(chunk);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect([said, code]).toEqual(['ok', 0]);
});
