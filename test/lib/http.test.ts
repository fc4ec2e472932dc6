import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { innermostError, readBody, wasNeverSent } from '../../src/lib/http.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

const error = (code: string | undefined, message = '') => ({ name: 'Error', code, message });

test.each([
  error('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'),
  error('ENOTFOUND', 'getaddrinfo ENOTFOUND nowhere.test'),
  error('UND_ERR_CONNECT_TIMEOUT'),
  error('CERT_HAS_EXPIRED'),
  error('DEPTH_ZERO_SELF_SIGNED_CERT'),
  error('ERR_SSL_WRONG_VERSION_NUMBER'),
  error('ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443'),
  error('ETIMEDOUT', 'request to https://a.test/ failed, reason: connect ETIMEDOUT 192.0.2.1:443'),
  error('ETIMEDOUT', 'request to https://a.test/ failed, reason: '),
  error('ETIMEDOUT'),
  error('ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'),
  error(undefined, 'bad port'),
])('nothing was sent: $code $message', (found) => {
  expect(wasNeverSent(found)).toBe(true);
});

test.each([
  error('ECONNRESET', 'read ECONNRESET'),
  error('ETIMEDOUT', 'read ETIMEDOUT'),
  error('ETIMEDOUT', 'request to https://a.test/ failed, reason: read ETIMEDOUT'),
  error('EPIPE', 'write EPIPE'),
  error('UND_ERR_SOCKET', 'other side closed'),
  error(undefined, 'fetch failed'),
])('the request may have been sent: $code $message', (found) => {
  expect(wasNeverSent(found)).toBe(false);
});

test('what has happened is read from the cause, however deep it lies', () => {
  const bottom = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const top = new TypeError('fetch failed', { cause: new Error('between', { cause: bottom }) });
  expect(innermostError(top)).toEqual({ name: 'Error', code: 'ECONNRESET', message: 'read ECONNRESET' });
});

test('a code that is a number, as of a request that was called off, is none', () => {
  expect(innermostError(new DOMException('It was called off.', 'AbortError'))).toEqual({
    ...{ name: 'AbortError', code: undefined, message: 'It was called off.' },
  });
});

test('what is no error at all has no code and no message', () => {
  expect(innermostError('ECONNREFUSED')).toEqual({ name: 'string', code: undefined, message: '' });
});

let server: Server | undefined;

afterEach(async () => {
  if (server !== undefined) await closeServer(server);
});

async function answerOf(listener: RequestListener, signal?: AbortSignal): Promise<Response> {
  server = createServer(listener);
  return fetch(`http://127.0.0.1:${await listenOnLoopback(server)}/`, signal === undefined ? {} : { signal });
}

test('a body of just so many bytes is read whole, and an empty one is none', async () => {
  const answer = await answerOf((_request, response) => response.write('abc', () => response.end('def')));
  expect(await readBody(answer, 6)).toEqual(Buffer.from('abcdef'));
  expect(await readBody(new Response(null), 6)).toHaveLength(0);
});

test('a body that says itself that it is larger than the limit is not read', async () => {
  const answer = await answerOf((_request, response) => response.end('1234567'));
  expect(await readBody(answer, 6)).toBe('too-large');
});

test('a body that never ends is left when it has become too large', async () => {
  const closed = Promise.withResolvers<unknown>();
  const answer = await answerOf((_request, response) => {
    closed.resolve(once(response, 'close'));
    response.write('1234567');
  });
  expect(await readBody(answer, 6)).toBe('too-large');
  await closed.promise;
});

test('reading a body ends when the request is called off', async () => {
  const controller = new AbortController();
  const answer = await answerOf((_request, response) => response.write('1'), controller.signal);
  const read = readBody(answer, 6);
  controller.abort(new Error('enough'));
  await expect(read).rejects.toThrow('enough');
});
