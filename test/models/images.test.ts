import { describe, expect, test } from 'vitest';
import type { ModelMessage, ModelProvider } from '../../src/models/language-model.ts';
import { png } from '../support/test-attachments.ts';
import { answerOf, modelAt, modelWith, request } from './ask.ts';
import { chunk, claudeStream, openAiStream, sse, streaming } from './wire-server.ts';

const base64 = png.toString('base64');
const asked: readonly ModelMessage[] = [
  { role: 'user', text: 'what is it?', images: [{ mediaType: 'image/png', bytes: png }] },
];

const anthropicAnswer = claudeStream([
  { type: 'text', text: '' },
  { type: 'text_delta', text: 'a dot' },
]);
const googleAnswer = sse({
  candidates: [{ content: { role: 'model', parts: [{ text: 'a dot' }] }, finishReason: 'STOP', index: 0 }],
});
const item = { id: 'i', type: 'message', role: 'assistant', status: 'completed', content: [] };
const said = { type: 'response.output_text.delta', content_index: 0, delta: 'a dot' };
const openAiAnswer = openAiStream(item, said, item);
const compatibleAnswer = sse(chunk({ role: 'assistant', content: 'a dot' }), chunk({}, 'stop'), '[DONE]');

/** What a tool has brought stands behind its result. */
const brought: readonly ModelMessage[] = [
  { role: 'user', text: 'look' },
  { role: 'assistant', parts: [{ type: 'call', callId: 'c', modelCallId: 'c1', name: 'snap', arguments: {} }] },
  { role: 'results', results: [{ modelCallId: 'c1', name: 'snap', text: 'taken', isError: false }] },
  { role: 'user', text: 'what it shows', images: [{ mediaType: 'image/png', bytes: png }] },
];

interface Dialect {
  readonly provider: ModelProvider;
  readonly answer: string;
  readonly received: object;
  /** The end of the request with what a tool has brought. */
  readonly afterResult: object;
}

const dialects: readonly Dialect[] = [
  {
    provider: 'anthropic',
    answer: anthropicAnswer,
    received: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is it?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
          ],
        },
      ],
    },
    afterResult: {
      messages: [
        { role: 'user' },
        { role: 'assistant' },
        {
          role: 'user',
          content: [
            { type: 'tool_result', content: 'taken' },
            { type: 'text', text: 'what it shows' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
          ],
        },
      ],
    },
  },
  {
    provider: 'openai',
    answer: openAiAnswer,
    received: {
      input: [
        { role: 'developer' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'what is it?' },
            { type: 'input_image', image_url: `data:image/png;base64,${base64}` },
          ],
        },
      ],
    },
    afterResult: {
      input: [
        { role: 'developer' },
        { role: 'user' },
        { type: 'function_call' },
        { type: 'function_call_output', output: 'taken' },
        { role: 'user', content: [{ type: 'input_text' }, { type: 'input_image' }] },
      ],
    },
  },
  {
    provider: 'google',
    answer: googleAnswer,
    received: {
      contents: [
        { role: 'user', parts: [{ text: 'what is it?' }, { inlineData: { mimeType: 'image/png', data: base64 } }] },
      ],
    },
    afterResult: {
      contents: [
        { role: 'user' },
        { role: 'model' },
        { role: 'user', parts: [{ functionResponse: { name: 'snap' } }] },
        { role: 'user', parts: [{ text: 'what it shows' }, { inlineData: { mimeType: 'image/png', data: base64 } }] },
      ],
    },
  },
  {
    provider: 'openai_compatible',
    answer: compatibleAnswer,
    received: {
      messages: [
        { role: 'system' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
          ],
        },
      ],
    },
    afterResult: {
      messages: [
        { role: 'system' },
        { role: 'user' },
        { role: 'assistant' },
        { role: 'tool', content: 'taken' },
        { role: 'user', content: [{ type: 'text' }, { type: 'image_url' }] },
      ],
    },
  },
];

describe('a picture on its way to a model', () => {
  async function ask({ provider, answer }: Dialect, messages: readonly ModelMessage[]) {
    const name = provider === 'openai' ? 'gpt-5' : 'm';
    const { server, model } = await modelWith(streaming(answer), { provider, name });
    const { parts } = await answerOf(model, request(messages, { tools: [] }));
    return { parts, body: server.requests[0]?.body };
  }

  test.each(dialects)('of $provider is part of the message, behind its text', async (dialect) => {
    const { parts, body } = await ask(dialect, asked);
    expect(body).toMatchObject(dialect.received);
    expect(parts).toMatchObject([{ type: 'text', text: 'a dot' }]);
  });

  test.each(dialects)('of $provider stands behind the result of the tool that has brought it', async (dialect) => {
    const { body } = await ask(dialect, brought);
    expect(body).toMatchObject(dialect.afterResult);
  });
});

describe('whether a model sees pictures', () => {
  test.each([
    ['anthropic', true],
    ['openai', true],
    ['google', true],
    ['openai_compatible', false],
  ] as const)('is known of %s, unless the config says otherwise', async (provider, sees) => {
    expect((await modelAt('http://127.0.0.1:1', { provider })).seesImages).toBe(sees);
    expect((await modelAt('http://127.0.0.1:1', { provider, seesImages: !sees })).seesImages).toBe(!sees);
  });
});
