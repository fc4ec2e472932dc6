import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelEvent, ModelProvider } from '../../src/models/language-model.ts';
import { withContinuation } from '../../src/models/retry.ts';
import { eventsOf, failureOf, modelAt, modelWith, request } from './ask.ts';
import { textOf } from './stepping-model.ts';
import { beginStream, chunk, namedSse, sse, streaming } from './wire-server.ts';

const responseEvents = [
  { type: 'response.created', response: { id: 'r1', created_at: 1, model: 'm' } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i1', role: 'assistant' } },
  { type: 'response.output_text.delta', output_index: 0, item_id: 'i1', content_index: 0, delta: 'One' },
] as const;

const providers: readonly {
  readonly provider: ModelProvider;
  readonly path: string;
  readonly name: string;
  /** A stream that has said one word. */
  readonly beginning: string;
}[] = [
  { provider: 'openai_compatible', path: '/v1', name: 'llama', beginning: sse(chunk({ content: 'One' })) },
  {
    provider: 'anthropic',
    path: '/v1',
    name: 'claude-sonnet-4-5',
    beginning: namedSse(
      { type: 'message_start', message: { id: 'm1', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One' } },
    ),
  },
  { provider: 'openai', path: '/v1', name: 'gpt-5', beginning: namedSse(...responseEvents) },
  {
    provider: 'google',
    path: '/v1beta',
    name: 'gemini-2.5-pro',
    beginning: sse({ candidates: [{ content: { role: 'model', parts: [{ text: 'One' }] }, index: 0 }] }),
  },
];

const numbers = Array.from({ length: 30 }, (_, index) => `number ${index}`).join(', ');
/** Pieces are small, and what is cut is cut in the middle of them. */
const cut = { chunkSize: 4, truncateAfterChunks: 14, latency: 10 } as const;

const mock = new LLMock({ port: 0 });
beforeAll(async () => {
  const args = JSON.stringify({ path: numbers });
  mock
    .onMessage('count', { content: numbers }, cut)
    .onMessage(/kind="answer_cut"/, { content: '… and so on.' })
    .onMessage('call', { toolCalls: [{ id: 'call_a', name: 'read_file', arguments: args }] }, cut);
  await mock.start();
});
afterAll(() => mock.stop());

describe.each(providers)('an answer of $provider', ({ provider, path, name, beginning }) => {
  test('that is cut in its text goes on where it was cut', async () => {
    const model = withContinuation(await modelAt(mock.url + path, { provider, name }));
    const events = await eventsOf(model, request('count'));
    const text = textOf(events);
    const [shown = '', rest] = text.split('…');
    expect([numbers.startsWith(shown), shown.length > 8, rest]).toEqual([true, true, ' and so on.']);
    const last = events.at(-1);
    const parts = last?.type === 'finish' ? last.answer.parts : [];
    expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')).toBe(text);
  });

  test('that is not wanted any more has its connection closed at once', async () => {
    const { server, model } = await modelWith(
      (response) => {
        beginStream(response);
        response.write(beginning);
      },
      { provider, name },
    );
    const abort = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of model.stream(request('hello', { signal: abort.signal }))) {
      events.push(event);
      if (event.type === 'text') abort.abort();
    }
    // The server would never end it.
    await server.requests[0]?.abandoned;
    expect(textOf(events)).toBe('One');
  });

  test('that has not begun, and is not wanted any more, has its connection closed at once', async () => {
    const abort = new AbortController();
    const { server, model } = await modelWith(() => abort.abort(), { provider, name });
    expect(await eventsOf(model, request('hello', { signal: abort.signal }))).toEqual([]);
    await server.requests[0]?.abandoned;
  });
});

// Gemini sends a call in one piece.
test.each(providers.filter(({ provider }) => provider !== 'google'))(
  'an answer of $provider that is cut within a call makes no call, and is not taken up',
  async ({ provider, path, name }) => {
    const before = mock.getRequests().length;
    const model = withContinuation(await modelAt(mock.url + path, { provider, name }));
    const { error, shown } = await failureOf(model, request('call'));
    expect(error.fault).toBe('transient');
    expect(new Set(shown.map(({ type }) => type))).toEqual(new Set(['partial-call']));
    expect(mock.getRequests().length - before).toBe(1);
  },
);

describe('an answer of Gemini', () => {
  const piece = (candidate: object): object => ({ candidates: [{ index: 0, ...candidate }], usageMetadata });
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 3 };
  const text = { content: { role: 'model', parts: [{ text: 'Half' }] } };
  const half = { content: { role: 'model', parts: [{ functionCall: { name: 'read_file', args: {} } }] } };

  test.each([
    ['without a reason why it ended', [piece(text)], 'transient'],
    ['that ended in a malformed call', [piece({ ...text, finishReason: 'MALFORMED_FUNCTION_CALL' })], 'faulty'],
    ['that broke off after a call', [piece(half)], 'transient'],
    ['that was interrupted', [piece({ ...text, finishReason: 'interrupted' })], 'faulty'],
    ['that ended for another reason', [piece({ ...text, finishReason: 'OTHER' })], 'faulty'],
    ['that ended in a call of something else', [piece({ ...half, finishReason: 'UNEXPECTED_TOOL_CALL' })], 'faulty'],
    ['without anything', [], 'transient'],
  ] as const)('%s is a failure that may pass, and says what it has cost', async (_how, pieces, fault) => {
    const { model } = await modelWith(streaming(sse(...pieces)), { provider: 'google', name: 'gemini-2.5-pro' });
    const { error } = await failureOf(model, request('hello'));
    expect(error.fault).toBe(fault);
    const cost = { inputTokens: 9, outputTokens: 3 };
    const took = pieces.length === 0 ? { inputTokens: 0, outputTokens: 0 } : cost;
    expect(error.usage).toMatchObject({ ...took, model: 'main' });
  });
});
