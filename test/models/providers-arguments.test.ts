import { afterEach, expect, test } from 'vitest';
import { answerOf, modelAt, request } from './ask.ts';
import { chunk, namedSse, sendStream, sse, startWireServer, type WireServer } from './wire-server.ts';

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const bad = '{"path": notes';
const usage = { input_tokens: 1, output_tokens: 1 };

const anthropicCall = namedSse(
  { type: 'message_start', message: { id: 'm1', model: 'm', usage } },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 't1', name: 'read_file', input: {} },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: bad } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
  { type: 'message_stop' },
);

const item = { type: 'function_call', id: 'f1', call_id: 't1', name: 'read_file' };
const openAiCall = namedSse(
  { type: 'response.created', response: { id: 'r1', created_at: 1, model: 'm' } },
  { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
  { type: 'response.function_call_arguments.delta', item_id: 'f1', output_index: 0, delta: bad },
  { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: bad, status: 'completed' } },
  { type: 'response.completed', response: { usage } },
);

const compatibleCall = sse(
  chunk({ tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'read_file', arguments: bad } }] }),
  chunk({}, 'tool_calls'),
);

// Gemini's protocol has an object there, and no text.
test.each([
  ['anthropic', anthropicCall],
  ['openai', openAiCall],
  ['openai_compatible', compatibleCall],
] as const)('arguments that are no JSON come from %s as the model wrote them', async (provider, answer) => {
  server = await startWireServer((response) => sendStream(response, answer));
  const model = await modelAt(`${server.url}/v1`, { provider, name: provider === 'openai' ? 'gpt-5' : 'm' });
  expect((await answerOf(model, request('hello'))).parts).toMatchObject([
    { type: 'call', modelCallId: 't1', name: 'read_file', arguments: bad },
  ]);
});
