import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import { httpRequest } from '../../../../src/tools/builtin/web/http-request.ts';
import { builtinWords } from '../../../../src/tools/builtin/words.ts';
import { networkRules } from '../../../../src/tools/guard/network/network-rules.ts';
import { createToolRunner } from '../../../../src/tools/runner.ts';
import type { PreparedCall, Tool, ToolContext } from '../../../../src/tools/tool.ts';
import { freePort } from '../../../support/loopback.ts';
import { clientWith, homeServer } from '../../guard/network/network-setting.ts';
import { contextIn, errorSaying, prepared } from '../../setting.ts';

const allowPrivate = ['api.example', 'a.api.example', 'evil.example'];
const runner = createToolRunner({ clock: systemClock });

function toolFor(
  allowedDomains: readonly string[],
  changed: { timeout_secs?: number; max_response_bytes?: number } = {},
): Tool {
  const settings = { allowed_domains: allowedDomains, timeout_secs: 5, max_response_bytes: 10_000, ...changed };
  const web = { client: clientWith({ allowPrivate }), refuse: networkRules(allowPrivate).refuse };
  return httpRequest(async () => web, { http_request: settings });
}

async function callTo(tool: Tool, args: JsonValue, changed: Partial<ToolContext> = {}) {
  return (await runner.run(await prepared(tool, args), contextIn('/', changed))).output;
}

const prepare = (args: JsonValue, domains = ['api.example']): Promise<PreparedCall> => prepared(toolFor(domains), args);

test('a request gets the status, the useful headers and the body; people see nothing', async () => {
  const server = await homeServer((_, response) => {
    response.writeHead(201, 'Made', {
      'content-type': 'application/json',
      etag: '"1"',
      'set-cookie': 'a=b',
      'x-powered-by': 'c',
    });
    response.end('{"id":1}');
  });
  const url = `http://api.example:${server.port}/v1/things?a=b`;
  const body = '{"name":"Grüße"}';
  const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer key' };
  const output = await callTo(toolFor(['api.example']), { method: 'POST', url, headers, body });
  expect(output).toEqual({
    forLlm: '[201 Created]\ncontent-type: application/json\netag: "1"\n\n{"id":1}',
    did: expect.any(Function),
    isError: false,
    isAsync: false,
    untrusted: 'api.example',
  });
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    url: '/v1/things?a=b',
    headers: { host: `api.example:${server.port}`, authorization: 'Bearer key', 'content-length': '18' },
  });
});

test('an answer of an error is an error with its body', async () => {
  const server = await homeServer((_, response) => {
    response.writeHead(429, { 'retry-after': '30', 'x-ratelimit-remaining': '0' }).end('slow down');
  });
  const output = await callTo(toolFor(['api.example']), { url: `http://api.example:${server.port}/` });
  expect(output).toMatchObject({
    isError: true,
    untrusted: 'api.example',
    forLlm: '[429 Too Many Requests]\nretry-after: 30\nx-ratelimit-remaining: 0\n\nslow down',
  });
});

test('is permitted for a while with its method, too', async () => {
  const coverOf = async (method: string) => (await prepare({ method, url: 'https://api.example/a' })).facets.covers;
  expect([await coverOf('POST'), await coverOf('DELETE')]).toEqual([
    ['api.example', 'POST'],
    ['api.example', 'DELETE'],
  ]);
});

test('the method decides what a call is, the host whether it is trusted, and an approver reads both', async () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    expect(await prepare({ method, url: 'https://api.example/' })).toMatchObject({ category: 'network_read' });
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(await prepare({ method, url: 'https://api.example/' })).toMatchObject({ category: 'network_write' });
  }
  expect(toolFor(['api.example']).category).toBe('network_write');
  const facets = async (domains: string[]) => (await prepare({ url: 'https://api.example/' }, domains)).facets;
  // What the operator's own API says is not meant for others.
  expect(await facets(['api.example'])).toMatchObject({ trustedHost: true, private: true });
  expect(await facets(['*.example'])).toMatchObject({ trustedHost: true });
  // Everything is allowed, and nothing is thought of.
  expect(await facets(['*'])).toMatchObject({ trustedHost: false, private: false });
  const call = await prepare({ method: 'PUT', url: 'https://api.example/`x`', body: 'äb' });
  const address = '`` https://api.example/`x` ``';
  expect(call.describe()).toBe(builtinWords.en.send({ method: 'PUT', address, bytes: 3 }));
});

test.each([
  ['https://other.example/', /not in tools\.http_request\.allowed_domains/],
  ['https://api.example.evil.example/', /not in tools\.http_request\.allowed_domains/],
  ['https://xapi.example/', /not in tools\.http_request\.allowed_domains/],
  ['https://api.example@evil.example/', /before an "@"/],
  ['https://evil.example\\@api.example/', /not in tools\.http_request\.allowed_domains/],
  ['http://127.0.0.1/', /Only the operator can open it/],
  ['http://2130706433/', /Only the operator can open it/],
  ['http://169.254.169.254/', /Only the operator can open it/],
  ['http://localhost:8080/', /Only the operator can open it/],
  ['ftp://api.example/', /Only http and https/],
  ['api.example/path', /is no complete URL/],
  ['https://www.example:22/', /Port 22 belongs to another service/],
])('no approval opens %s', async (url, reason) => {
  const domains = ['api.example', ...(/not in/.test(reason.source) ? [] : ['*'])];
  expect((await prepare({ url }, domains)).forbidden).toMatch(reason);
  // Nor does a call that runs all the same.
  expect(await callTo(toolFor(domains), { url })).toMatchObject({ isError: true });
});

test.each([
  [{ url: 'https://api.example/', method: 'TRACE' }, '- method: expected "GET"'],
  [{ url: 'https://api.example/', method: 'CONNECT' }, '- method: expected "GET"'],
  [{ url: '' }, '- url: expected a string that is not empty'],
  [{ url: 'https://api.example/', body: 'a' }, '- body: must be left out: GET and HEAD carry no body'],
  [{ url: 'https://api.example/', headers: { Host: 'a' } }, 'Host: is set by Keyturn alone'],
  [{ url: 'https://api.example/', headers: { 'proxy-authorization': 'a' } }, 'proxy-authorization: is set by'],
  [{ url: 'https://api.example/', headers: { 'Transfer-Encoding': 'chunked' } }, 'Transfer-Encoding: is set by'],
  [{ url: 'https://api.example/', headers: { a: 'b\r\nHost: c' } }, 'a: must have a value of one line'],
  [{ url: 'https://api.example/', headers: { 'a b': 'c' } }, 'is no name of a header'],
  [{ url: 'https://api.example/', headers: { a: 'b'.repeat(8_001) } }, 'must not be longer than 8000'],
  [{ url: 'https://api.example/', cookies: {} }, 'cookies: unknown'],
])('%j is told to be mended', async (args, message) => {
  await expect(prepare(args)).rejects.toThrow(message);
});

test('a redirect outside the list is not followed, and shows where it pointed', async () => {
  const server = await homeServer((request, response) => {
    const host = request.headers.host?.split(':')[0] ?? '';
    const to = host === 'api.example' ? `http://${request.url?.slice(1)}:${server.port}/` : undefined;
    if (to === undefined) response.end(`here is ${host}`);
    else response.writeHead(307, { location: to }).end();
  });
  const tool = toolFor(['api.example', '*.api.example']);
  const from = (to: string): string => `http://api.example:${server.port}/${to}`;
  const args = { method: 'POST', headers: { 'x-api-key': 'secret' }, body: 'x' };
  const refused = await callTo(tool, { ...args, url: from('evil.example') });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.forLlm).toContain(`a redirect to http://evil.example:${server.port}/, which is not followed.`);
  // The server has chosen that name.
  expect(refused.untrusted).toBe('api.example');
  expect(refused.forLlm).toContain('evil.example is not in tools.http_request.allowed_domains');
  expect(server.requests).toHaveLength(1);

  const followed = await callTo(tool, { ...args, url: from('a.api.example') });
  expect(followed).toMatchObject({ isError: false, untrusted: 'a.api.example' });
  expect(followed.forLlm).toMatch(/^\[200 OK from http:\/\/a\.api\.example:\d+\/, after redirects\]/);
  expect(server.requests.at(-1)).toMatchObject({ method: 'POST' });
  expect(server.requests.at(-1)?.headers).not.toHaveProperty('x-api-key');
});

test('what a rule lets run is led to no other origin, though the list has it', async () => {
  const server = await homeServer((request, response) => {
    const host = request.headers.host?.split(':')[0] ?? '';
    if (host === 'a.api.example') response.end('here');
    else response.writeHead(302, { location: `http://a.api.example:${server.port}/` }).end();
  });
  const url = `http://api.example:${server.port}/`;
  const tool = toolFor(['api.example', '*.api.example']);
  const refused = await callTo(tool, { url }, { isRuled: true });
  expect(refused).toEqual(errorSaying('people let you read without asking'));
  expect(server.requests).toHaveLength(1);
  expect(await callTo(tool, { url })).toMatchObject({ isError: false });
});

test('what is let go as a request to a listed host is not led to one that only a * lets in', async () => {
  const server = await homeServer((request, response) => {
    if (request.url === '/') response.end('here');
    else response.writeHead(302, { location: `http://evil.example:${server.port}/` }).end();
  });
  const tool = toolFor(['api.example', '*']);
  const led = await callTo(tool, { url: `http://api.example:${server.port}/away` });
  expect(led).toEqual(errorSaying('is not followed. The host evil.example'));
  expect(await callTo(tool, { url: `http://evil.example:${server.port}/away` })).toMatchObject({ isError: false });
  expect(server.requests.map(({ url }) => url)).toEqual(['/away', '/away', '/']);
});

test.each([
  ['text/plain; charset=iso-8859-1', Buffer.from('Gr\u00fc\u00dfe', 'latin1'), 'Grüße'],
  ['text/html; charset="windows-1251"', Buffer.from([0xcf, 0xf0, 0xe8]), 'При'],
  ['application/problem+json', Buffer.from('{"a":"ü"}'), '{"a":"ü"}'],
  ['text/plain; charset=nonsense', Buffer.from('ü'), 'ü'],
  ['application/octet-stream', Buffer.from('all the same text: ü'), 'all the same text: ü'],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]), '[a binary body of 6 bytes, image/png; it is not shown]'],
  [
    'application/zip',
    Buffer.from([0x50, 0x4b, 0xff, 0xfe]),
    '[a binary body of 4 bytes, application/zip; it is not shown]',
  ],
  ['text/plain', Buffer.alloc(0), '[no body]'],
])('a body of %s is read as what it is', async (type, bytes, shown) => {
  const server = await homeServer((_, response) => response.writeHead(200, { 'content-type': type }).end(bytes));
  const { forLlm } = await callTo(toolFor(['api.example']), { url: `http://api.example:${server.port}/` });
  expect(forLlm).toBe(`[200 OK]\ncontent-type: ${type}\n\n${shown}`);
});

test('of a long answer, packed or not, only the beginning is read, and that is said', async () => {
  const server = await homeServer((request, response) => {
    if (request.url === '/packed') {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' });
      response.end(gzipSync('ü'.repeat(1_000_000)));
    } else response.end('b'.repeat(1_000_000));
  });
  const tool = toolFor(['api.example'], { max_response_bytes: 1_001 });
  const packed = await callTo(tool, { url: `http://api.example:${server.port}/packed` });
  expect(packed.forLlm).toMatch(/\n\nü{500}\n\[the answer goes on: only its first 1001 bytes were read\]$/);
  const plain = await callTo(tool, { url: `http://api.example:${server.port}/` });
  expect(plain.forLlm).toMatch(/\n\nb{1001}\n\[the answer goes on/);
});

test('headers that would write lines of their own do not', async () => {
  const server = await homeServer((_, response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\nContent-Type: a\tb\u202ec\r\nETag: x\r\nContent-Length: 2\r\n\r\nok');
  });
  const { forLlm } = await callTo(toolFor(['api.example']), { url: `http://api.example:${server.port}/` });
  expect(forLlm.split('\n').slice(0, 3)).toEqual(['[200 OK]', expect.stringMatching(/^content-type: a b/), 'etag: x']);
});

test('a request that is stopped or late is over, and says that it may have been carried out', async () => {
  const server = await homeServer(() => {});
  const args = { method: 'POST', url: `http://api.example:${server.port}/` };
  const controller = new AbortController();
  const stopped = callTo(toolFor(['api.example']), args, { signal: controller.signal });
  await vi.waitFor(() => expect(server.requests).toHaveLength(1), { interval: 5, timeout: 100_000 });
  controller.abort();
  expect((await stopped).forLlm).toMatch(/http_request was stopped/);
  expect(await callTo(toolFor(['api.example'], { timeout_secs: 0.02 }), args)).toEqual({
    forLlm: 'There was no complete answer within 0.02 s. It may have been carried out: look before you try again.',
    isError: true,
    isAsync: false,
    untrusted: 'api.example',
  });
  await vi.waitFor(async () => expect(await server.open()).toBe(0), { interval: 5, timeout: 100_000 });
});

test('nothing was read where nobody was reached', async () => {
  const nobody = { url: `http://api.example:${await freePort()}/`, method: 'POST' };
  const failed = await callTo(toolFor(['api.example']), nobody);
  expect(failed.forLlm).toMatch(/takes no connections at port \d+\.$/);
  expect(failed.untrusted).toBeUndefined();
  const cut = await homeServer((request) => request.socket.destroy());
  const reached = await callTo(toolFor(['api.example']), { url: `http://api.example:${cut.port}/` });
  expect(reached).toMatchObject({ isError: true, untrusted: 'api.example' });
});
