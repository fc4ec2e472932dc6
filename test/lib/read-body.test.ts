import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { readBody } from '../../src/lib/read-body.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

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

test('one that says itself that it is larger is not read', async () => {
  const answer = await answerOf((_request, response) => response.end('1234567'));
  expect(await readBody(answer, 6)).toBe('too-large');
});

test('one that never ends is left when it has become too large', async () => {
  const closed = Promise.withResolvers<unknown>();
  const answer = await answerOf((_request, response) => {
    closed.resolve(once(response, 'close'));
    response.write('1234567');
  });
  expect(await readBody(answer, 6)).toBe('too-large');
  await closed.promise;
});

test('it ends when the request is called off', async () => {
  const controller = new AbortController();
  const answer = await answerOf((_request, response) => response.write('1'), controller.signal);
  const read = readBody(answer, 6);
  controller.abort(new Error('enough'));
  await expect(read).rejects.toThrow('enough');
});
