import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelFault } from '../../src/models/language-model.ts';
import { networkFailure } from '../../src/models/provider-failure.ts';
import { withRetries } from '../../src/models/retry.ts';
import { modelWords } from '../../src/models/words.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { png } from '../support/test-attachments.ts';
import { answerOf, failureOf, modelAt, modelWith, request } from './ask.ts';
import { chunk, sendStream, sse } from './wire-server.ts';

/** What a server has sent, a line each, and what is to come of it. */
const recordedSchema = z.strictObject({
  server: z.string(),
  status: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.union([z.string(), z.looseObject({})]),
  // biome-ignore lint/suspicious/noThenProperty: it is data.
  then: z.enum(['wait', 'retry', 'say']),
  says: z.string(),
});

const recorded = readFileSync(new URL('recorded-faults.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => recordedSchema.parse(JSON.parse(line)));

const handling: Readonly<Record<ModelFault, 'wait' | 'retry' | 'say'>> = {
  transient: 'wait',
  faulty: 'retry',
  auth: 'say',
  unavailable: 'say',
  'too-long': 'say',
  permanent: 'say',
};

test.each(recorded)('$server ($status): $then', async ({ status, headers, body, then, says }) => {
  const { model } = await modelWith((response) => {
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  });
  const { error } = await failureOf(model, request('hello'));
  expect([handling[error.fault], error.message]).toEqual([then, expect.stringContaining(says)]);
  expect(error.message).not.toContain('unreachable');
});

test.each([
  ['CERT_HAS_EXPIRED', 'unavailable', 'has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unavailable', 'NODE_EXTRA_CA_CERTS'],
  ['ECONNRESET', 'transient', 'failed (ECONNRESET)'],
] as const)('the network says %s: %s', async (code, fault, says) => {
  const serverKind = 'compatible' as const;
  const context = { modelKey: 'main', modelName: 'm', baseUrl: 'https://a.example/v1', serverKind, secrets: [] };
  const error = networkFailure(Object.assign(new Error('x'), { code }), context);
  expect([error?.fault, error?.message]).toEqual([fault, expect.stringContaining(says)]);
});

test('where nothing listens, that is said, with what to start', async () => {
  const { server } = await modelWith(() => {});
  await server.stop();
  const { error } = await failureOf(await modelAt(`${server.url}/v1`), request('hello'));
  expect(error.wordsIn('en')).toBe(modelWords.en.nothingListens({ modelKey: 'main', baseUrl: `${server.url}/v1` }));
});

describe('an address without /v1', () => {
  test.each([
    ['Ollama', 404, '404 page not found', true],
    ['LM Studio', 200, { error: 'Unexpected endpoint or method. (POST /chat/completions)' }, true],
    ['LM Studio, a newer one', 404, { error: 'Unexpected endpoint or method. (POST /chat/completions)' }, true],
    ['vLLM', 404, { detail: 'Not Found' }, true],
    [
      'llama.cpp behind a prefix',
      404,
      { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } },
      true,
    ],
    ['Express', 404, '<html><pre>Cannot POST /chat/completions</pre></html>', true],
    ['nothing at all', 404, '', true],
    ['a model that is not there', 404, { error: { message: "model 'm' not found" } }, false],
    ['a model by its code', 404, { error: { message: 'Not Found', code: 'model_not_found' } }, false],
  ] as const)('is said to be that, and not asked again: %s', async (_server, status, body, isSaid) => {
    const { server } = await modelWith((response) => {
      const isText = typeof body === 'string';
      response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
      response.end(isText ? body : JSON.stringify(body));
    });
    const patient = withRetries(await modelAt(server.url), { clock: hurried(), random: () => 0 });
    const { error } = await failureOf(patient, request('hello'));
    expect([server.requests.length, error.fault]).toEqual([1, 'unavailable']);
    const words = modelWords.en.lacksVersion({ modelKey: 'main', baseUrl: server.url });
    expect(error.message.includes(words)).toBe(isSaid);
  });
});

describe('a picture that the server refuses', () => {
  const picture = { role: 'user', text: 'what is it?', images: [{ mediaType: 'image/png', bytes: png }] } as const;
  const other = { mediaType: 'image/png', bytes: Buffer.concat([png, Buffer.from('x')]) } as const;

  test.each([
    ['by name', 'image input is not supported', 2],
    ['without naming it', 'boom', 3],
  ])('%s is not sent again, and others are', async (_how, message, requests) => {
    const { server, model } = await modelWith(
      (response) => {
        const hasPicture = JSON.stringify(server.requests.at(-1)?.body).includes(png.toString('base64').slice(0, 40));
        if (!hasPicture) return sendStream(response, sse(chunk({ content: 'No idea.' }, 'stop')));
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
      },
      { seesImages: true },
    );
    const patient = withRetries(model, { clock: hurried(), random: () => 0 });
    await answerOf(patient, request([picture]));
    expect(server.requests).toHaveLength(requests);
    await answerOf(patient, request([picture, { role: 'user', text: 'and now?' }]));
    expect(server.requests).toHaveLength(requests + 1);
    await answerOf(patient, request([{ ...picture, images: [...picture.images, other] }]));
    expect(JSON.stringify(server.requests[requests + 1]?.body)).toContain(other.bytes.toString('base64').slice(-20));
  });
});

test('a fault that the server tells of is asked for again twice, and then said in its words', async () => {
  const { server, model } = await modelWith((response) => {
    const error = { message: 'CUDA out of memory', code: 500 };
    response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  });
  const { error } = await failureOf(withRetries(model, { clock: hurried(), random: () => 0 }), request('hello'));
  const say = modelWords.en;
  expect(error.message).toBe(
    say.withAdvice(say.serverFault({ modelKey: 'main', status: 500, told: 'CUDA out of memory.' }), say.tryAgainSoon),
  );
  expect(server.requests).toHaveLength(3);
});

/** Time that passes as soon as somebody waits for it, but for the silence of a model. */
function hurried(): ManualClock {
  const clock = new ManualClock();
  return Object.assign(clock, {
    after(milliseconds: number, callback: () => void) {
      clock.advance(milliseconds);
      queueMicrotask(callback);
      return () => {};
    },
  });
}
