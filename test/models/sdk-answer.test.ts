import { afterEach, expect, test } from 'vitest';
import { answerOf, failureOf, modelAt, request } from './ask.ts';
import { namedSse, sendStream, sse, startWireServer, type WireServer } from './wire-server.ts';

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

test("Anthropic's signatures and sealed thoughts are kept with the parts that they belong to", async () => {
  const usage = { input_tokens: 3, output_tokens: 4 };
  const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  server = await startWireServer((response) => {
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], stop_reason: null, usage };
    const stream = namedSse(
      { type: 'message_start', message },
      ...block(0, { type: 'redacted_thinking', data: 'SEALED' }),
      ...block(
        1,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'Hm.' },
        { type: 'signature_delta', signature: 'SIGNED' },
      ),
      ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Yes.' }),
      ...block(3, { type: 'tool_use', id: 't1', name: 'list_dir', input: {} }),
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
      { type: 'message_stop' },
    );
    sendStream(response, stream);
  });
  const model = await modelAt(`${server.url}/v1`, { provider: 'anthropic', name: 'claude-sonnet-4-5' });

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
  server = await startWireServer((response) => {
    sendStream(response, sse({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }));
  });
  const model = await modelAt(`${server.url}/v1beta`, { provider: 'google', name: 'gemini-2.5-pro' });

  expect((await answerOf(model, request('hello'))).parts).toMatchObject([
    { type: 'call', name: 'list_dir', arguments: {}, provider: { google: { thoughtSignature: 'ON-CALL' } } },
    { type: 'text', text: '', provider: { google: { thoughtSignature: 'ON-NOTHING' } } },
  ]);
});

test("Anthropic's overload in place of an answer is transient", async () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  server = await startWireServer((response) => sendStream(response, namedSse(error)));
  const model = await modelAt(`${server.url}/v1`, { provider: 'anthropic', name: 'claude-sonnet-4-5' });

  const failure = await failureOf(model, request('hello'));
  expect(failure.error).toMatchObject({ fault: 'transient', message: expect.stringContaining('overloaded') });
});
