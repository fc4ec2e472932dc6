import { afterEach, describe, expect, test } from 'vitest';
import type { ModelProvider } from '../../src/model/create-model.ts';
import type { ModelMessage } from '../../src/model/language-model.ts';
import { png } from '../support/test-attachments.ts';
import { answerOf, modelAt, request } from './ask.ts';
import { beginStream, chunk, namedSse, sse, startWireServer, type WireServer } from './wire-server.ts';

const base64 = png.toString('base64');
const asked: readonly ModelMessage[] = [
  { role: 'user', text: 'what is it?', images: [{ mediaType: 'image/png', bytes: png }] },
];

const anthropicAnswer = namedSse(
  {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a dot' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
);
const googleAnswer = sse({
  candidates: [{ content: { role: 'model', parts: [{ text: 'a dot' }] }, finishReason: 'STOP', index: 0 }],
});
const item = { id: 'i', type: 'message', role: 'assistant', status: 'completed', content: [] };
const openAiAnswer = sse(
  { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'a dot' },
  { type: 'response.output_item.done', output_index: 0, item },
  { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
);
const compatibleAnswer = sse(chunk({ role: 'assistant', content: 'a dot' }), chunk({}, 'stop'), '[DONE]');

const dialects: readonly { readonly provider: ModelProvider; readonly answer: string; readonly received: object }[] = [
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
  },
  {
    provider: 'google',
    answer: googleAnswer,
    received: {
      contents: [
        { role: 'user', parts: [{ text: 'what is it?' }, { inlineData: { mimeType: 'image/png', data: base64 } }] },
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
  },
];

describe('a picture on its way to a model', () => {
  let server: WireServer;
  afterEach(() => server.stop());

  test.each(dialects)(
    'of $provider is part of the message, behind its text',
    async ({ provider, answer, received }) => {
      server = await startWireServer((response) => {
        beginStream(response);
        response.end(answer);
      });
      const model = await modelAt(server.url, { provider, name: provider === 'openai' ? 'gpt-5' : 'm' });
      const { parts } = await answerOf(model, request(asked, { tools: [] }));
      expect(server.requests[0]?.body).toMatchObject(received);
      expect(parts).toMatchObject([{ type: 'text', text: 'a dot' }]);
    },
  );
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
