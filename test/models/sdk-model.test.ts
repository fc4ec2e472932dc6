import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { modelWords } from '../../src/models/words.ts';
import { answerOf, eventsOf, failureOf, modelWith, request } from './ask.ts';
import { beginStream, chunk, sendStream, sse, streaming } from './wire-server.ts';

function callChunk(delta: { readonly name?: string; readonly arguments: string }, index = 0): object {
  return chunk({
    tool_calls: [{ index, ...(delta.name ? { id: `call_${index}`, type: 'function' } : {}), function: delta }],
  });
}

const finish = [chunk({}, 'stop'), '[DONE]'] as const;

describe('a request', () => {
  test('is one HTTP request, with the key, the system text and the tools in their order', async () => {
    const { server, model } = await modelWith(streaming(sse(chunk({ content: 'Hi' }), ...finish)));
    await answerOf(model, request('hello'));

    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret-key-1');
    expect(server.requests[0]?.body).toMatchObject({
      model: 'test-model',
      stream: true,
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'hello' },
      ],
      tools: [{ function: { name: 'list_dir' } }, { function: { name: 'read_file' } }],
    });
  });

  test('is made once even when it fails: trying again is decided elsewhere', async () => {
    const { server, model } = await modelWith((response) => response.writeHead(503).end());
    await failureOf(model, request('hello'));

    expect(server.requests).toHaveLength(1);
  });

  test('does not reach the provider when it is aborted before it begins', async () => {
    const { server, model } = await modelWith((response) => response.end());

    expect(await eventsOf(model, request('hello', { signal: AbortSignal.abort() }))).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

test('the connection is closed when the reader of an answer simply stops reading', async () => {
  const { server, model } = await modelWith((response) => {
    beginStream(response);
    response.write(sse(chunk({ content: 'One' })));
  });
  for await (const event of model.stream(request('hello'))) if (event.type === 'text') break;
  await server.requests[0]?.abandoned;
});

describe('an answer that is cut', () => {
  test.each([
    { how: 'by a lost connection', fault: 'transient', end: (response: ServerResponse) => response.destroy() },
    { how: 'by an end without a reason', fault: 'transient', end: (response: ServerResponse) => response.end() },
    {
      how: 'by an error in the middle',
      fault: 'transient',
      end: (response: ServerResponse) =>
        response.end(sse({ error: { message: 'Overloaded', type: 'overloaded_error' } })),
    },
    {
      how: 'by garbage',
      fault: 'faulty',
      end: (response: ServerResponse) => response.end('data: {"choices": [\n\n'),
    },
  ])('$how is a $fault failure, after what was shown', async ({ end, fault }) => {
    const { model } = await modelWith((response) => {
      beginStream(response);
      response.write(sse(chunk({ content: 'Half a' })), () => setImmediate(() => end(response)));
    });
    const { error, shown } = await failureOf(model, request('a word in confidence'));

    expect(shown).toEqual([{ type: 'text', delta: 'Half a' }]);
    expect(error.fault).toBe(fault);
    // A log may print all of an error: neither the conversation nor the key may hang on it.
    expect(inspect(error, { depth: null })).not.toMatch(/a word in confidence|secret-key-1/);
  });

  test.each(['anthropic', 'google', 'openai', 'openai_compatible'] as const)(
    'begins with garbage at a server of %s: that is the server, not Keyturn',
    async (provider) => {
      const { model } = await modelWith(streaming('data: {not json\n\n'), { provider });
      expect((await failureOf(model, request('hello'))).error.fault).toBe('faulty');
    },
  );

  test.each([
    [[chunk({ content: 'Half an' })], 'Half an'],
    [[chunk({ reasoning_content: 'Hm' })], ''],
    [[], ''],
  ])('for its length says so beside its text', async (pieces, said) => {
    const { model } = await modelWith(streaming(sse(...pieces, chunk({}, 'length'))));
    const events = await eventsOf(model, request('hello'));

    expect(events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('')).toBe(said);
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'finish', answer: { ending: 'cut' } });
    const parts = last?.type === 'finish' ? last.answer.parts : [];
    expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')).toBe(said);
  });

  test('by the provider because of its content says so', async () => {
    const { model } = await modelWith(streaming(sse(chunk({}, 'content_filter'))));

    const { error } = await failureOf(model, request('hello'));
    expect(error).toMatchObject({ fault: 'permanent', message: modelWords.en.heldBack({ modelKey: 'main' }) });
  });
});

const cutArguments = '{"path":"a.txt","content":"half of';

test.each([
  [
    'cut for its length: its text, and the call that was cut with it as a broken string',
    [chunk({ content: 'Now.' }), callChunk({ name: 'write_file', arguments: cutArguments }), chunk({}, 'length')],
    [
      { type: 'text', text: 'Now.' },
      { type: 'call', name: 'write_file', arguments: cutArguments },
    ],
  ],
  [
    'cut before any argument was written: no call without arguments',
    [callChunk({ name: 'list_dir', arguments: '' }), chunk({}, 'length')],
    [{ type: 'call', arguments: '(cut off)' }],
  ],
  [
    'held back for its content behind some text: that text alone',
    [chunk({ content: 'Half an' }), chunk({}, 'content_filter')],
    [{ type: 'text', text: 'Half an' }],
  ],
  [
    'with a call without arguments: an object',
    [callChunk({ name: 'list_dir', arguments: '' }), chunk({}, 'tool_calls')],
    [{ name: 'list_dir', arguments: {} }],
  ],
])('of an answer that is %s', async (_what, pieces, parts) => {
  const { model } = await modelWith(streaming(sse(...pieces)));
  expect((await answerOf(model, request('hello'))).parts).toMatchObject(parts);
});

describe('a call', () => {
  test.each([
    { depth: 99, isKept: true },
    { depth: 100, isKept: false },
    { depth: 50_000, isKept: false },
  ])('with $depth lists in each other is passed on as text where nobody could use it', async ({ depth, isKept }) => {
    const text = `{"text":${'['.repeat(depth)}"]]\\"]"${']'.repeat(depth)}}`;
    const { model } = await modelWith((response) => {
      const call = callChunk({ name: 'read_file', arguments: text.slice(0, depth + 20) });
      sendStream(response, sse(call, callChunk({ arguments: text.slice(depth + 20) }), chunk({}, 'tool_calls')));
    });

    const { parts } = await answerOf(model, request('hello'));
    expect(parts).toMatchObject([{ arguments: isKept ? JSON.parse(text) : text }]);
  });

  test('with very long arguments in very small pieces is read a few times, not once for each piece', async () => {
    const content = 'abcdefghi\n'.repeat(20_000);
    const text = JSON.stringify({ path: 'a.txt', content });
    const pieces = text.match(/[\s\S]{1,20}/g) ?? [];
    const { model } = await modelWith((response) => {
      const calls = pieces.map((piece, at) =>
        callChunk({ ...(at === 0 ? { name: 'write_file' } : {}), arguments: piece }),
      );
      sendStream(response, sse(...calls, chunk({}, 'tool_calls')));
    });

    const events = await eventsOf(model, request('hello'));
    expect(pieces.length).toBeGreaterThan(10_000);
    const shown = events.flatMap((event) => (event.type === 'partial-call' ? [JSON.stringify(event.arguments)] : []));
    expect([shown.length > 1, shown.length < 60, new Set(shown).size]).toEqual([true, true, shown.length]);
    expect(events.at(-1)).toMatchObject({ answer: { parts: [{ arguments: { path: 'a.txt', content } }] } });
  });
});
