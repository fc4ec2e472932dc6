import { afterEach, describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../src/models/language-model.ts';
import type { ModelDescription } from '../../src/models/model-description.ts';
import { answerOf, failureOf, modelAt, request } from './ask.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Thinker = Pick<ModelDescription, 'name'> & Partial<ModelDescription>;

const thinking = { name: 'claude-sonnet-4-5', reasoning: 'medium' } as const;
const sonnet = { name: 'claude-sonnet-4-5' } as const;
const haiku = { name: 'claude-haiku-4-5' } as const;
const quiet = { name: 'claude-sonnet-4-5', reasoning: 'none' } as const;
const other = { name: 'qwen3', provider: 'openai_compatible' } as const;

function events(...data: readonly object[]): string {
  return data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
}

const usage = { input_tokens: 1, output_tokens: 1 };
const thoughts = [
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'SIGNED' } },
  { type: 'content_block_stop', index: 0 },
];
const callOfClaude = (withThoughts: boolean): string =>
  events(
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], usage } },
    ...(withThoughts ? thoughts : []),
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'a', name: 'list_dir', input: {} },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":"x"}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
    { type: 'message_stop' },
  );
const toolCall = { index: 0, id: 'a', type: 'function', function: { name: 'list_dir', arguments: '{"path":"x"}' } };
const callOfOther = events(
  { id: 'm', choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [toolCall] } }] },
  { id: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
);

/** What one of them is sent after another has made a call, and that has a result. */
async function sentAfter(before: Thinker, next: Thinker): Promise<Record<string, unknown>> {
  const called =
    before.provider === other.provider ? callOfOther : callOfClaude('reasoning' in before && before !== quiet);
  server = await startWireServer((response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(called),
  );
  const asked = request('look');
  const first = await modelAt(`${server.url}/v1`, { provider: 'anthropic', ...before });
  const { parts } = await answerOf(first, asked);
  const messages: readonly ModelMessage[] = [
    ...asked.messages,
    { role: 'assistant', parts: parts.map((part) => (part.type === 'call' ? { ...part, callId: 'our-a' } : part)) },
    { role: 'results', results: [{ modelCallId: 'a', name: 'list_dir', text: 'one', isError: false }] },
  ];
  await server.stop();
  server = await startWireServer((response) => response.writeHead(418).end());
  const second = await modelAt(`${server.url}/v1`, { provider: 'anthropic', ...next });
  await failureOf(second, request(JSON.parse(JSON.stringify(messages))));
  return JSON.parse(JSON.stringify(server.requests[0]?.body));
}

function contentOf({ messages }: Record<string, unknown>): unknown {
  return Array.isArray(messages) ? messages[1]?.content : undefined;
}

const withThoughts = [{ type: 'thinking', thinking: 'Hm.', signature: 'SIGNED' }, { type: 'tool_use' }];
const without = [{ type: 'tool_use' }];

describe('within a run, a call of', () => {
  test('a model that thinks goes back to it with its thoughts', async () => {
    const sent = await sentAfter(thinking, thinking);
    expect(contentOf(sent)).toMatchObject(withThoughts);
    expect(sent).toMatchObject({ thinking: { type: 'enabled' } });
  });

  test.each([
    ['another provider', other, thinking],
    ['a model that does not think', haiku, thinking],
    ['the same model that did not think', quiet, thinking],
    ['another one that thinks', { ...thinking, name: 'claude-opus-4-5' }, thinking],
  ] as const)('%s goes to one that thinks, which does not think this time', async (_who, before, next) => {
    const sent = await sentAfter(before, next);
    expect(contentOf(sent)).toMatchObject(without);
    expect(sent).toMatchObject({ thinking: { type: 'disabled' } });
  });

  test.each([
    ['a smaller one', haiku],
    ['the same with another setting', sonnet],
    ['the same, which is not to think', quiet],
  ] as const)('a model that thinks goes to %s without its thoughts', async (_which, next) => {
    expect(contentOf(await sentAfter(thinking, next))).toMatchObject(without);
  });
});
