import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelDescription, ModelMessage, ModelProvider } from '../../src/models/language-model.ts';
import { closingEvent } from '../../src/runs/context/model-messages.ts';
import { request, sentFor } from './ask.ts';

/** What the provider is sent for these messages. */
async function sent(
  provider: ModelProvider,
  messages: readonly ModelMessage[],
  name = 'test-model',
  rest: Partial<ModelDescription> = {},
): Promise<unknown> {
  const [body] = await sentFor({ provider, name, ...rest }, request(messages, { tools: [] }));
  return body;
}

function call(modelCallId: string, args: object | string = {}, provider?: object) {
  const json = JSON.parse(JSON.stringify(args));
  const own = provider === undefined ? {} : { provider: JSON.parse(JSON.stringify(provider)) };
  return {
    type: 'call',
    callId: `our-${modelCallId}`,
    modelCallId,
    name: 'list_dir',
    arguments: json,
    ...own,
  } as const;
}

function result(modelCallId: string, text: string, isError = false) {
  return { modelCallId, name: 'list_dir', text, isError };
}

const twoCalls: readonly ModelMessage[] = [
  { role: 'user', text: 'look' },
  {
    role: 'assistant',
    parts: [{ type: 'text', text: 'Looking.' }, call('a', { path: 'x' }), call('b', { path: 'y' })],
  },
  { role: 'results', results: [result('a', 'one'), result('b', 'no such folder', true)] },
  { role: 'user', text: 'and?' },
];

describe('a history', () => {
  test('is sent to an OpenAI-compatible server with each result after its call', async () => {
    expect(await sent('openai_compatible', twoCalls)).toMatchObject({
      messages: [
        { role: 'system' },
        { role: 'user', content: 'look' },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [
            { id: 'a', function: { name: 'list_dir', arguments: '{"path":"x"}' } },
            { id: 'b', function: { name: 'list_dir', arguments: '{"path":"y"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'tool', tool_call_id: 'b', content: 'no such folder' },
        { role: 'user', content: 'and?' },
      ],
    });
  });

  test('in which the model has called a tool by a name that none can have is not refused for it', async () => {
    const name = `functions.shell ${'y'.repeat(100)}`;
    const odd: readonly ModelMessage[] = [
      { role: 'user', text: 'look' },
      { role: 'assistant', parts: [{ ...call('a'), name }] },
      { role: 'results', results: [{ ...result('a', 'no such tool', true), name }] },
    ];
    expect(JSON.stringify(await sent('openai_compatible', odd))).toMatch(/"function":\{"name":"functions_shell_y{48}"/);
  });

  test('is sent to Anthropic with its results and the next message in one, and marks what is worth caching', async () => {
    const ephemeral = { type: 'ephemeral' };
    expect(await sent('anthropic', twoCalls)).toMatchObject({
      system: [{ type: 'text', cache_control: ephemeral }],
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [{ type: 'text' }, { type: 'tool_use', id: 'a' }, { type: 'tool_use', id: 'b' }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'one' },
            { type: 'tool_result', tool_use_id: 'b', is_error: true },
            { type: 'text', text: 'and?', cache_control: ephemeral },
          ],
        },
      ],
    });
  });

  test('is sent to Gemini with the name of each function', async () => {
    expect(await sent('google', twoCalls)).toMatchObject({
      contents: [
        { role: 'user' },
        {
          role: 'model',
          parts: [{ text: 'Looking.' }, { functionCall: { args: { path: 'x' } } }, { functionCall: {} }],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'list_dir' } }, { functionResponse: { id: 'b' } }] },
        { role: 'user', parts: [{ text: 'and?' }] },
      ],
    });
  });

  const partial: readonly ModelMessage[] = [
    { role: 'user', text: 'write' },
    { role: 'assistant', parts: [{ type: 'text', text: 'I begin' }] },
    { role: 'user', text: closingEvent('stopped', true) },
    { role: 'user', text: 'and?' },
  ];

  test.each([
    ['openai_compatible', 'messages', 'assistant'],
    ['anthropic', 'messages', 'assistant'],
    ['google', 'contents', 'model'],
    ['openai', 'input', 'assistant'],
  ] as const)(
    'with an answer that was stopped: %s gets what was read as said, and then that it was broken off',
    async (provider, key, role) => {
      const body = z.record(z.string(), z.unknown()).parse(await sent(provider, partial));
      const messages = z.array(z.looseObject({ role: z.string().optional() })).parse(body[key]);
      const at = messages.findIndex((message) => message.role === role);
      expect(JSON.stringify(messages[at])).toContain('I begin');
      expect(JSON.stringify(messages.slice(0, at))).not.toContain('broke off');
      const behind = messages.slice(at + 1);
      expect(behind.map((message) => message.role)).not.toContain(role);
      expect(JSON.stringify(behind)).toMatch(/Stopped by a person.*broke off.*and\?/);
    },
  );

  test('is sent to OpenAI in full: nothing in it relies on what OpenAI keeps', async () => {
    const kept = { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'SEALED' } };
    const body = await sent(
      'openai',
      [
        { role: 'user', text: 'look' },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: '', provider: kept },
            { type: 'text', text: 'Looking.', provider: { openai: { itemId: 'msg_1' } } },
          ],
        },
        { role: 'user', text: 'and?' },
      ],
      'gpt-5',
    );

    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(JSON.stringify(body)).not.toContain('item_reference');
    expect(JSON.stringify(body)).toContain('"encrypted_content":"SEALED"');
    expect(JSON.stringify(body)).toContain('Looking.');
  });
});

describe("a provider's own data", () => {
  const thought: ModelMessage = {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Hm.', provider: { anthropic: { signature: 'SIGNED' } } },
      { type: 'reasoning', text: '', provider: { anthropic: { redactedData: 'HIDDEN' } } },
      call('a', {}, { google: { thoughtSignature: 'GEMINI' } }),
    ],
  };
  const messages: readonly ModelMessage[] = [
    { role: 'user', text: 'look' },
    thought,
    { role: 'results', results: [result('a', 'one')] },
  ];

  test('goes back to it as it came', async () => {
    expect(await sent('anthropic', messages, 'claude-sonnet-4-5', { reasoning: 'medium' })).toMatchObject({
      messages: [
        {},
        {
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'SIGNED' },
            { type: 'redacted_thinking', data: 'HIDDEN' },
            { type: 'tool_use' },
          ],
        },
        {},
      ],
    });
    expect(JSON.stringify(await sent('google', messages))).toContain('"thoughtSignature":"GEMINI"');
  });

  test('is not sent to another provider, nor are the thoughts', async () => {
    const toAnthropic = JSON.stringify(await sent('anthropic', messages));
    const toOther = JSON.stringify(await sent('openai_compatible', messages));

    expect(toAnthropic).not.toContain('GEMINI');
    for (const secret of ['Hm.', 'SIGNED', 'HIDDEN', 'GEMINI']) expect(toOther).not.toContain(secret);
  });

  test('leaves no empty message where nothing else was said', async () => {
    const alone: ModelMessage = {
      role: 'assistant',
      parts: [{ type: 'reasoning', text: 'Hm.', provider: { google: {} } }],
    };
    const body = await sent('openai_compatible', [{ role: 'user', text: 'a' }, alone, { role: 'user', text: 'b' }]);

    expect(body).toMatchObject({ messages: [{}, { content: 'a' }, { content: 'b' }] });
  });
});

describe('a call in the history', () => {
  test('has an id of its own, even if the model gives every call the same', async () => {
    const turn: readonly ModelMessage[] = [
      { role: 'assistant', parts: [call('call 0')] },
      { role: 'results', results: [result('call 0', 'one')] },
    ];
    expect(await sent('openai_compatible', [{ role: 'user', text: 'a' }, ...turn, ...turn])).toMatchObject({
      messages: [
        {},
        {},
        { tool_calls: [{ id: 'call_0' }] },
        { tool_call_id: 'call_0' },
        { tool_calls: [{ id: 'call_0_2' }] },
        { tool_call_id: 'call_0_2' },
      ],
    });
  });

  test('whose arguments were no object is sent as an object all the same', async () => {
    const messages: readonly ModelMessage[] = [
      { role: 'user', text: 'a' },
      { role: 'assistant', parts: [call('a', '{"path": "bro')] },
      { role: 'results', results: [result('a', 'not JSON', true)] },
    ];
    expect(await sent('anthropic', messages)).toMatchObject({
      messages: [{}, { content: [{ input: { invalid_arguments: '{"path": "bro' } }] }, {}],
    });
  });
});
