import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { withRetries } from '../../src/models/retry.ts';
import { modelWords } from '../../src/models/words.ts';
import { answerOf, failureOf, modelWith, request } from './ask.ts';
import { chunk, sse } from './wire-server.ts';

async function modelThatSends(reply: (response: ServerResponse) => void) {
  const { server, model } = await modelWith(reply);
  return { server, model: withRetries(model, { clock: systemClock, random: () => 0 }) };
}

const page = '<!doctype html><html><body>It works!</body></html>';

test.each([
  ['text/html', 'text/html; charset=utf-8', page],
  ['application/json', 'application/json', '{"status":"ok"}'],
  ['text/plain', 'text/plain', `\n\n${page}`],
  ['text/plain', 'text/plain', 'Ollama is running'],
  ['no events', undefined, page],
])('a server that answers well and sends %s is told apart, and asked once', async (what, kind, body) => {
  const { server, model } = await modelThatSends((response) => {
    if (kind !== undefined) response.setHeader('content-type', kind);
    response.end(body);
  });

  const { error } = await failureOf(model, request('hello'));
  expect(error.fault).toBe('unavailable');
  expect(error.message).toBe(
    modelWords.en.foreign({
      modelKey: 'main',
      baseUrl: `${server.url}/v1`,
      serverKind: 'compatible',
      did: what === 'no events' ? { type: 'no-events' } : { type: 'sent', kind: what },
    }),
  );
  expect(server.requests).toHaveLength(1);
});

test.each(['text/plain', 'application/octet-stream', undefined])(
  'a stream of events by the name of %s is read as what it is',
  async (kind) => {
    const text = sse(chunk({ content: 'Hi' }), chunk({}, 'stop'));
    const { model } = await modelThatSends((response) => {
      if (kind !== undefined) response.setHeader('content-type', kind);
      response.write(`\n${text.slice(0, 2)}`, () => setImmediate(() => response.end(text.slice(2))));
    });

    expect((await answerOf(model, request('hello'))).parts).toMatchObject([{ type: 'text', text: 'Hi' }]);
  },
);

test.each([302, 307])('a redirect (%i) is named and not followed', async (status) => {
  const { server, model } = await modelThatSends((response) =>
    response.writeHead(status, { location: 'http://127.0.0.1:1/login?token=hidden' }).end(),
  );

  const { error } = await failureOf(model, request('hello'));
  expect(error.fault).toBe('unavailable');
  expect(error.message).toMatch(/\(it redirects to http:\/\/127\.0\.0\.1:1\/login\)\. Check models\.main\.base_url/);
  expect(server.requests).toHaveLength(1);
});

test('an error of the server keeps its own words, whatever it sends', async () => {
  const { model } = await modelThatSends((response) =>
    response.writeHead(401, { 'content-type': 'text/html' }).end(page),
  );
  expect((await failureOf(model, request('hello'))).error.fault).toBe('auth');
});
