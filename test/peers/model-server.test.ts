import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type ModelMessage, streamText, tool } from 'ai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { ModelServer } from '../support/model-server.ts';

let model: ModelServer;

beforeEach(async () => {
  model = await ModelServer.start();
});

afterEach(() => model.close());

const say = (content: string): ModelMessage => ({ role: 'user', content });

function result(text: string): readonly ModelMessage[] {
  const call = { toolCallId: 'call-1', toolName: 'list_dir' };
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: '.' } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: text } }] },
  ];
}

/** What one streamed answer brings, by the client that the daemon uses. */
async function ask(...messages: readonly ModelMessage[]) {
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: model.url, includeUsage: true });
  const stream = streamText({
    model: provider('scripted-model'),
    messages: [...messages],
    maxRetries: 0,
    tools: { list_dir: tool({ description: 'Lists a folder.', inputSchema: z.object({ path: z.string() }) }) },
    onError: () => undefined,
  });
  const pieces: string[] = [];
  const calls: unknown[] = [];
  let error: unknown;
  let usage = { inputTokens: 0, outputTokens: 0 };
  for await (const part of stream.fullStream) {
    if (part.type === 'text-delta') pieces.push(part.text);
    if (part.type === 'tool-call') calls.push([part.toolName, part.input]);
    if (part.type === 'error') error = part.error;
    if (part.type === 'finish') {
      usage = { inputTokens: part.totalUsage.inputTokens ?? 0, outputTokens: part.totalUsage.outputTokens ?? 0 };
    }
  }
  return { text: pieces.join(''), pieces, calls, error, usage };
}

test('without a script it says what the user said', async () => {
  const long = 'a text of more than one piece, with ünïcode 👉 and "quotes"';
  expect((await ask(say('first'), { role: 'assistant', content: 'x' }, say(long))).text).toBe(`echo: ${long}`);
});

test('the first rule that applies is the one, and its answers come one after another', async () => {
  model.onUser('list', { calls: [{ name: 'list_dir', arguments: { path: '.' } }] }).onUser(/./, 'one', 'two');
  expect((await ask(say('please list the files'))).calls).toEqual([['list_dir', { path: '.' }]]);
  expect([(await ask(say('a'))).text, (await ask(say('b'))).text, (await ask(say('c'))).text]).toEqual([
    'one',
    'two',
    'two',
  ]);
});

test('a rule for what a user says does not apply to a request that ends with a result', async () => {
  model.onUser('list', { calls: [{ name: 'list_dir', arguments: {} }] }).onResult(/README/, 'There is a README.');
  expect((await ask(say('list'), ...result('README.md'))).text).toBe('There is a README.');
  model.otherwise(({ lastResults }) => `It said ${lastResults.join()}.`);
  expect((await ask(say('list'), ...result('nothing'))).text).toBe('It said nothing.');
});

test('an answer can have text, several calls and its usage, and arguments that are no JSON', async () => {
  const call = (path: string) => ({ name: 'list_dir', arguments: { path } });
  model.onUser('both', { text: 'Looking.', calls: [call('a'), call('b')], usage: { input: 7, output: 9 } });
  expect(await ask(say('both'))).toMatchObject({
    text: 'Looking.',
    calls: [
      ['list_dir', { path: 'a' }],
      ['list_dir', { path: 'b' }],
    ],
    usage: { inputTokens: 7, outputTokens: 9 },
  });
  model.onUser('broken', { calls: [{ name: 'list_dir', arguments: '{"path": ' }] });
  expect((await ask(say('broken'))).calls).toEqual([['list_dir', expect.anything()]]);
});

test.each([401, 429, 500])('it answers %i', async (status) => {
  model.otherwise({ fault: { kind: 'status', status, message: 'no', retryAfter: 2 } });
  const { error } = await ask(say('x'));
  expect(error).toMatchObject({ statusCode: status, message: 'no' });
});

test('a cut stream shows its beginning and breaks', async () => {
  model.otherwise({ text: 'x'.repeat(100), pieceSize: 10, fault: { kind: 'cut', afterPieces: 4 } });
  const response = await fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] }),
  });
  let shown = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) shown += Buffer.from(chunk).toString();
  })();
  await expect(reading).rejects.toThrow('terminated');
  expect(shown.match(/"content":"x{10}"/g)).toHaveLength(4);
});

test('a connection can break before the answer, and the answer can be no JSON', async () => {
  model.onUser('drop', { fault: { kind: 'drop' } }).onUser('malformed', { fault: { kind: 'malformed' } });
  expect((await ask(say('drop'))).error).toBeInstanceOf(Error);
  const { text, calls } = await ask(say('malformed'));
  expect([text, calls]).toEqual(['', []]);
  expect((await ask(say('well'))).text).toBe('echo: well');
});

test('it thinks as long as the test wants', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  model.onUser('hard', { text: 'hard', until: promise });
  const order: string[] = [];
  const hard = ask(say('hard')).then(({ text }) => order.push(text));
  const [request] = await model.waitForRequests(1);
  expect(request).toMatchObject({ model: 'scripted-model', lastUserText: 'hard', tools: ['list_dir'] });
  order.push((await ask(say('easy'))).text);
  resolve();
  await hard;
  expect(order).toEqual(['echo: easy', 'hard']);
});

test('it thinks for a while and writes slowly', async () => {
  model.otherwise({ text: 'x'.repeat(40), delayMs: 20, pieceSize: 10, pieceDelayMs: 20 });
  const begun = performance.now();
  expect((await ask(say('x'))).pieces).toHaveLength(4);
  expect(performance.now() - begun).toBeGreaterThan(100);
});

test('what it was asked can be read', async () => {
  await ask(say('list'), ...result('README.md'));
  expect(model.requests[0]?.messages).toEqual([
    { role: 'user', text: 'list', calls: [] },
    { role: 'assistant', text: '', calls: [{ id: 'call-1', name: 'list_dir', arguments: '{"path":"."}' }] },
    { role: 'tool', text: 'README.md', calls: [], callId: 'call-1' },
  ]);
  expect(model.requests[0]?.body).toMatchObject({ stream: true });
  expect(Object.keys(model.requests[0]?.body ?? {})).not.toContainEqual(expect.stringMatching(/^_/));
  await expect(model.waitForRequests(2, 20)).rejects.toThrow('the last of tool: "README.md"');
});

test('closing does not wait for an answer that is being thought of', async () => {
  const other = await ModelServer.start();
  other.otherwise({ text: 'late', until: new Promise(() => undefined) });
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] });
  const headers = { 'content-type': 'application/json' };
  const response = fetch(`${other.url}/chat/completions`, { method: 'POST', headers, body }).catch(() => 'closed');
  await other.waitForRequests(1);
  await other.close();
  expect(await response).toBe('closed');
});
