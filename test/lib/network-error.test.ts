import { expect, test } from 'vitest';
import { innermostError, wasNeverSent } from '../../src/lib/network-error.ts';

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
])('it may have been sent: $code $message', (found) => {
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
