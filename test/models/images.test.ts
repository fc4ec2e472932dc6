import { describe, expect, test } from 'vitest';
import type { ModelMessage, ModelProvider } from '../../src/models/language-model.ts';
import { png } from '../support/test-attachments.ts';
import { answerOf, modelAt, modelWith, request } from './ask.ts';
import { chunk, claudeStream, openAiStream, sse, streaming } from './wire-server.ts';

const base64 = png.toString('base64');
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

const images = [{ mediaType: 'image/png', bytes: png }] as const;
/** What a tool has brought stands behind its result. */
const messages: readonly ModelMessage[] = [
  { role: 'user', text: 'what is it?', images },
  { role: 'assistant', parts: [{ type: 'call', callId: 'c', modelCallId: 'c1', name: 'snap', arguments: {} }] },
  { role: 'results', results: [{ modelCallId: 'c1', name: 'snap', text: 'taken', isError: false }] },
  { role: 'user', text: 'what it shows', images },
];

interface Dialect {
  readonly provider: ModelProvider;
  readonly answer: string;
  readonly received: object;
}

const source = { type: 'base64', media_type: 'image/png', data: base64 };
const url = `data:image/png;base64,${base64}`;
const inlineData = { mimeType: 'image/png', data: base64 };

const dialects: readonly Dialect[] = [
  {
    provider: 'anthropic',
    answer: anthropicAnswer,
    received: {
      messages: [
        { content: [{ text: 'what is it?' }, { type: 'image', source }] },
        { role: 'assistant' },
        { content: [{ type: 'tool_result', content: 'taken' }, { text: 'what it shows' }, { type: 'image', source }] },
      ],
    },
  },
  {
    provider: 'openai',
    answer: openAiAnswer,
    received: {
      input: [
        { role: 'developer' },
        { content: [{ text: 'what is it?' }, { type: 'input_image', image_url: url }] },
        { type: 'function_call' },
        { type: 'function_call_output', output: 'taken' },
        { role: 'user', content: [{ text: 'what it shows' }, { type: 'input_image', image_url: url }] },
      ],
    },
  },
  {
    provider: 'google',
    answer: googleAnswer,
    received: {
      contents: [
        { parts: [{ text: 'what is it?' }, { inlineData }] },
        { role: 'model' },
        { parts: [{ functionResponse: { name: 'snap' } }] },
        { role: 'user', parts: [{ text: 'what it shows' }, { inlineData }] },
      ],
    },
  },
  {
    provider: 'openai_compatible',
    answer: compatibleAnswer,
    received: {
      messages: [
        { role: 'system' },
        { content: [{ text: 'what is it?' }, { type: 'image_url', image_url: { url } }] },
        { role: 'assistant' },
        { role: 'tool', content: 'taken' },
        { role: 'user', content: [{ text: 'what it shows' }, { type: 'image_url', image_url: { url } }] },
      ],
    },
  },
];

test.each(dialects)(
  'a picture stands behind the text of its message, and behind the result of the tool that brought it: $provider',
  async ({ provider, answer, received }) => {
    const name = provider === 'openai' ? 'gpt-5' : 'm';
    const { server, model } = await modelWith(streaming(answer), { provider, name });
    const { parts } = await answerOf(model, request(messages, { tools: [] }));
    expect(server.requests[0]?.body).toMatchObject(received);
    expect(parts).toMatchObject([{ type: 'text', text: 'a dot' }]);
  },
);

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
