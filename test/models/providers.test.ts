import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LanguageModel, ModelProvider } from '../../src/models/language-model.ts';
import { modelWords } from '../../src/models/words.ts';
import { eventsOf, failureOf, modelAt, request } from './ask.ts';

const usage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  input_tokens: 11,
  output_tokens: 7,
  promptTokenCount: 11,
  candidatesTokenCount: 7,
};

const providers: readonly { readonly provider: ModelProvider; readonly path: string; readonly name: string }[] = [
  { provider: 'openai_compatible', path: '/v1', name: 'llama' },
  { provider: 'anthropic', path: '/v1', name: 'claude-sonnet-4-5' },
  { provider: 'openai', path: '/v1', name: 'gpt-5' },
  { provider: 'google', path: '/v1beta', name: 'gemini-2.5-pro' },
];

describe.each(providers)('a model of $provider', ({ provider, path, name }) => {
  const mock = new LLMock({ port: 0 });
  let model: LanguageModel;

  beforeAll(async () => {
    mock
      .onMessage('say hello', { content: 'Hello there, friend.', usage })
      .onMessage('think first', { content: 'Yes.', reasoning: 'Let me see.', reasoningSignature: 'SIGNED' })
      .onMessage(
        'two calls',
        {
          toolCalls: [
            { id: 'call_a', name: 'list_dir', arguments: '{"path":"a long name of a folder, in many pieces"}' },
            { id: 'call_b', name: 'no_such_tool', arguments: '{"path":"b"}' },
          ],
        },
        { chunkSize: 6 },
      )
      .onMessage('too fast', { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 })
      .onMessage('fault', { error: { message: 'boom' }, status: 500 })
      .onMessage('bad key', { error: { message: 'Incorrect API key provided: secret-key-1' }, status: 401 })
      .onMessage('too long', { error: { message: 'prompt is too long: 9000 tokens > 8192 maximum' }, status: 400 })
      .onMessage('refused', {
        error: { message: 'The key secret-key-1 and sk-abcdefghijklmnop are odd.' },
        status: 422,
      })
      .onMessage('no model', { error: { message: 'model not found' }, status: 404 })
      .onMessage('garbage', { content: 'x' }, { chaos: { malformedRate: 1 } });
    await mock.start();
    model = await modelAt(mock.url + path, { provider, name });
  });
  afterAll(() => mock.stop());

  test('streams a text, and ends with the whole of it and what it cost', async () => {
    const events = await eventsOf(model, request('say hello'));

    const text = events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('');
    expect(text).toBe('Hello there, friend.');
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      answer: {
        parts: expect.arrayContaining([expect.objectContaining({ type: 'text', text })]),
        usage: { inputTokens: 11, outputTokens: 7, model: 'main' },
      },
    });
  });

  test('keeps its reasoning apart, marked as its own', async () => {
    const events = await eventsOf(model, request('think first'));

    expect(events.some((event) => event.type === 'reasoning')).toBe(true);
    expect(events.at(-1)).toMatchObject({
      answer: {
        parts: [
          { type: 'reasoning', text: 'Let me see.', provider: { [provider]: {} } },
          { type: 'text', text: 'Yes.' },
        ],
      },
    });
  });

  test('makes two calls at once, the name of an unknown tool included, and shows them while it writes', async () => {
    const events = await eventsOf(model, request('two calls'));

    const partial = events.flatMap((event) => (event.type === 'partial-call' ? [event] : []));
    expect(partial.at(0)).toMatchObject({ modelCallId: 'call_a', name: 'list_dir' });
    expect(partial.at(-1)).toMatchObject({ modelCallId: 'call_b', name: 'no_such_tool', arguments: { path: 'b' } });
    expect(events.at(-1)).toMatchObject({
      answer: { parts: expect.arrayContaining([expect.objectContaining({ name: 'no_such_tool' })]) },
    });
  });

  const failures = [
    { said: 'too fast', fault: 'transient', retryAfter: 7000, says: /no more requests.*7 s\./ },
    { said: 'fault', fault: 'faulty', retryAfter: undefined, says: /fault \(500\): boom\./ },
    {
      said: 'bad key',
      fault: 'auth',
      retryAfter: undefined,
      says: modelWords.en.keyRefused({ modelKey: 'main' }),
    },
    { said: 'too long', fault: 'too-long', retryAfter: undefined, says: /too long for the model 'main'.*\/new/ },
    { said: 'refused', fault: 'permanent', retryAfter: undefined, says: /\(422\): The key … and … are odd/ },
    { said: 'no model', fault: 'unavailable', retryAfter: undefined, says: /is not known at.*models\.main\.name/ },
    {
      said: 'garbage',
      fault: 'unavailable',
      retryAfter: undefined,
      says: /sent application\/json.*models\.main\.base_url/,
    },
  ] as const;
  test.each(failures)(
    'fails on "$said" as $fault, in words for a person',
    async ({ said, fault, retryAfter, says }) => {
      const { error } = await failureOf(model, request(said));

      expect(error.fault).toBe(fault);
      expect(error.retryAfter).toBe(retryAfter);
      expect(error.message).toMatch(says);
      expect(error.message).not.toContain('secret-key-1');
    },
  );
});
