import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WebRequest } from '../../../../src/tools/guard/network/web-client.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { ask, clientWith, homeServer } from './network-setting.ts';

const allowPrivate = ['api.example'];
const until = { interval: 5, timeout: 100_000 };

/** What the server answers to a GET of this path. */
const get = ({ port }: { readonly port: number }, changed?: Partial<WebRequest>, path = '') =>
  ask(clientWith({ allowPrivate }), `http://api.example:${port}/${path}`, changed);

test.each([
  ['gzip', gzipSync(Buffer.alloc(50_000_000))],
  ['br', brotliCompressSync(Buffer.alloc(50_000_000), { params: {} })],
  ['deflate', deflateSync(Buffer.alloc(50_000_000))],
] as const)('50 MB compressed with %s are decompressed only as far as asked', async (encoding, packed) => {
  const server = await homeServer((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(packed),
  );
  const answer = await get(server, { maxBytes: 100_000 });
  expect(answer).toMatchObject({ status: 200, truncated: true });
  expect(answer.body.length).toBe(100_000);
});

test.each([
  ['gzip', gzipSync('Grüße')],
  ['X-GZIP', gzipSync('Grüße')],
  ['br', brotliCompressSync('Grüße')],
  ['deflate', deflateSync('Grüße')],
  ['identity', Buffer.from('Grüße')],
] as const)('a body compressed with %s is read', async (encoding, packed) => {
  const server = await homeServer((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(packed),
  );
  const { body, truncated } = await get(server);
  expect([body.toString(), truncated]).toEqual(['Grüße', false]);
  expect(server.requests[0]?.headers).toMatchObject({ 'accept-encoding': 'gzip, br', 'user-agent': 'Keyturn' });
});

test.each([
  ['gzip', 'no gzip at all', /cannot be decompressed/],
  ['br', 'no brotli at all', /cannot be decompressed/],
  ['zstd', 'no zstd at all', /cannot be decompressed/],
  ['lzma', 'a', /compressed as "lzma", which cannot be read/],
  ['gzip, gzip', 'a', /compressed as "gzip, gzip", which cannot be read/],
] as const)(
  'a body that is not compressed as its header %s says is an error in words',
  async (encoding, body, words) => {
    const server = await homeServer((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    await expect(get(server)).rejects.toThrow(words);
  },
);

test('a compressed response that ends too early yields what arrived', async () => {
  const packed = gzipSync('a'.repeat(10) + Math.random().toString().repeat(100));
  const server = await homeServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, packed.length - 8));
  });
  const { body } = await get(server);
  expect(body.toString()).toMatch(/^a{10}0\./);
});

test('a response of exactly the limit is whole, one byte more is truncated', async () => {
  const server = await homeServer((request, response) => response.end(Buffer.alloc(Number(request.url?.slice(1)))));
  const sized = (size: number) => get(server, { maxBytes: 1_000 }, `${size}`);
  expect(await sized(1_000)).toMatchObject({ truncated: false, body: { length: 1_000 } });
  expect(await sized(1_001)).toMatchObject({ truncated: true, body: { length: 1_000 } });
  expect(await sized(0)).toMatchObject({ truncated: false, body: { length: 0 } });
});

test.each([
  ['plain', {}, (zeros: Readable) => zeros],
  ['packed', { 'content-encoding': 'gzip' }, (zeros: Readable) => zeros.pipe(createGzip())],
] as const)('reading a %s response without an end stops at the limit', async (_, headers, packed) => {
  const server = await homeServer((_request, response) => {
    const zeros = Readable.from(endless());
    packed(zeros).pipe(response.writeHead(200, headers));
    response.on('close', () => zeros.destroy());
  });
  const answer = await get(server, { maxBytes: 50_000 });
  expect(answer).toMatchObject({ truncated: true, body: { length: 50_000 } });
  await vi.waitFor(async () => expect(await server.open()).toBe(0), until);
});

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(10_000);
}

test.each([
  ['no header', '/silent'],
  ['a header that never ends', '/head'],
  ['a body that trickles', '/body'],
  ['one redirect after another, each slow', '/redirect'],
])('%s does not outlast the timeout of the request', async (_, path) => {
  const clock = new ManualClock();
  const server = await homeServer((request, response) => {
    if (request.url === '/head') response.socket?.write('HTTP/1.1 200 OK\r\nx: ');
    if (request.url === '/body') response.writeHead(200, { 'content-length': '1000' }).write('a');
    if (request.url === '/redirect') response.writeHead(302, { location: '/silent' }).end();
  });
  const asked = ask(clientWith({ allowPrivate, clock }), `http://api.example:${server.port}${path}`, {
    timeout: 3_000,
  });
  const failed = expect(asked).rejects.toThrow('There was no complete answer within 3 s.');
  await vi.waitFor(() => expect(server.requests).toHaveLength(path === '/redirect' ? 2 : 1), until);
  clock.advance(3_000);
  await failed;
  await vi.waitFor(async () => expect(await server.open()).toBe(0), until);
  expect(clock.waits.length).toBe(0);
});

test('a lookup that never answers ends with the timeout', async () => {
  const clock = new ManualClock();
  const lookup = vi.fn(() => new Promise<never>(() => {}));
  const asked = ask(clientWith({ clock, lookup }), 'http://slow.example/', { timeout: 5_000 });
  const failed = expect(asked).rejects.toThrow(/no complete answer within 5 s/);
  await vi.waitFor(() => expect(lookup).toHaveBeenCalled(), until);
  clock.advance(5_000);
  await failed;
});

test('an aborted request ends at once, with its connection', async () => {
  const server = await homeServer((_, response) => response.writeHead(200).write('a'));
  const controller = new AbortController();
  const asked = ask(clientWith({ allowPrivate }), `http://api.example:${server.port}/`, {}, controller.signal);
  const failed = expect(asked).rejects.toThrow('The request was called off.');
  await vi.waitFor(() => expect(server.requests).toHaveLength(1), until);
  controller.abort();
  await failed;
  await vi.waitFor(async () => expect(await server.open()).toBe(0), until);
});

test('no connection outlives its request, not even after a redirect whose body never ends', async () => {
  const server = await homeServer((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/end' }).write('a');
    else response.end('a');
  });
  await get(server);
  expect(server.requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close']);
  await vi.waitFor(async () => expect(await server.open()).toBe(0), until);
});

test('an error names no addresses, and says whether the request may have been carried out', async () => {
  const broken = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0);
  const nonsense = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')).listen(0);
  onTestFinished(() => void [broken.close(), nonsense.close()]);
  const problem = async (server: typeof broken, method: string): Promise<string> => {
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return get({ port }, { method }).then(() => 'none', String);
  };
  expect(await problem(broken, 'GET')).toBe(
    'WebError: api.example closed the connection before its answer was complete.',
  );
  expect(await problem(broken, 'POST')).toMatch(/complete\. It may have been carried out: look before/);
  expect(await problem(nonsense, 'GET')).toMatch(/^WebError: api\.example did not answer as a web server does/);
  const unknown = clientWith({
    lookup: async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    },
  });
  await expect(ask(unknown, 'http://nobody.example/')).rejects.toThrow(
    'There is no host nobody.example: check the name.',
  );
});

test('a closed port is reported as such, and nothing was carried out', async () => {
  const gone = createServer().listen(0);
  const address = gone.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await new Promise((resolve) => gone.close(resolve));
  const failed = get({ port }, { method: 'POST' });
  await expect(failed).rejects.toThrow(new RegExp(`^api\\.example takes no connections at port ${port}\\.$`));
});
