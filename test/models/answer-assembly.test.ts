import { expect, test } from 'vitest';
import { answerOf, modelWith, request } from './ask.ts';
import { chunk, claudeStream, openAiStream, sse, streaming } from './wire-server.ts';

test("Anthropic's signatures and sealed thoughts are kept with the parts that they belong to", async () => {
  const stream = claudeStream(
    [{ type: 'redacted_thinking', data: 'SEALED' }],
    [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'signature_delta', signature: 'SIGNED' },
    ],
    [
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Yes.' },
    ],
    [{ type: 'tool_use', id: 't1', name: 'list_dir', input: {} }],
  );
  const { model } = await modelWith(streaming(stream), { provider: 'anthropic', name: 'claude-sonnet-4-5' });

  expect((await answerOf(model, request('hello'))).parts).toMatchObject([
    { type: 'reasoning', text: '', provider: { anthropic: { redactedData: 'SEALED' } } },
    { type: 'reasoning', text: 'Hm.', provider: { anthropic: { signature: 'SIGNED' } } },
    { type: 'text', text: 'Yes.' },
    { type: 'call', modelCallId: 't1', name: 'list_dir', arguments: {} },
  ]);
});

test("Gemini's signatures are kept, on a call and on a text without words", async () => {
  const parts = [
    { functionCall: { name: 'list_dir', args: {} }, thoughtSignature: 'ON-CALL' },
    { text: '', thoughtSignature: 'ON-NOTHING' },
  ];
  const stream = sse({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
  const { model } = await modelWith(streaming(stream), { provider: 'google', name: 'gemini-2.5-pro' });

  expect((await answerOf(model, request('hello'))).parts).toMatchObject([
    { type: 'call', name: 'list_dir', arguments: {}, provider: { google: { thoughtSignature: 'ON-CALL' } } },
    { type: 'text', text: '', provider: { google: { thoughtSignature: 'ON-NOTHING' } } },
  ]);
});

test('calls to which a server gives the same id are told apart', async () => {
  const blocks = ['list_dir', 'read_file'].map((name) => [{ type: 'tool_use', id: 't1', name, input: {} }] as const);
  const { model } = await modelWith(streaming(claudeStream(...blocks)), {
    provider: 'anthropic',
    name: 'claude-sonnet-4-5',
  });
  expect((await answerOf(model, request('hello'))).parts).toMatchObject([
    { modelCallId: 't1', name: 'list_dir' },
    { modelCallId: 't1_2', name: 'read_file' },
  ]);
});

const bad = '{"path": notes';
const anthropicCall = claudeStream([
  { type: 'tool_use', id: 't1', name: 'read_file', input: {} },
  { type: 'input_json_delta', partial_json: bad },
]);

const item = { type: 'function_call', id: 'i', call_id: 't1', name: 'read_file' };
const openAiCall = openAiStream(
  { ...item, arguments: '' },
  { type: 'response.function_call_arguments.delta', delta: bad },
  { ...item, arguments: bad, status: 'completed' },
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
  const { model } = await modelWith(streaming(answer), { provider, name: provider === 'openai' ? 'gpt-5' : 'm' });
  expect((await answerOf(model, request('hello'))).parts).toMatchObject([
    { type: 'call', modelCallId: 't1', name: 'read_file', arguments: bad },
  ]);
});
