import { describe, expect, test } from 'vitest';
import type { ModelDescription, ModelMessage } from '../../src/models/language-model.ts';
import { answerOf, modelWith, request, sentFor } from './ask.ts';
import { claudeStream, sse, streaming } from './wire-server.ts';

type Thinker = Pick<ModelDescription, 'name'> & Partial<ModelDescription>;

const thinking = { name: 'claude-sonnet-4-5', reasoning: 'medium' } as const;
const sonnet = { name: 'claude-sonnet-4-5' } as const;
const haiku = { name: 'claude-haiku-4-5' } as const;
const quiet = { name: 'claude-sonnet-4-5', reasoning: 'none' } as const;
const other = { name: 'qwen3', provider: 'openai_compatible' } as const;

const thoughts = [
  { type: 'thinking', thinking: '' },
  { type: 'thinking_delta', thinking: 'Hm.' },
  { type: 'signature_delta', signature: 'SIGNED' },
] as const;
const callOfClaude = (withThoughts: boolean): string =>
  claudeStream(...(withThoughts ? [thoughts] : []), [
    { type: 'tool_use', id: 'a', name: 'list_dir', input: {} },
    { type: 'input_json_delta', partial_json: '{"path":"x"}' },
  ]);
const toolCall = { index: 0, id: 'a', type: 'function', function: { name: 'list_dir', arguments: '{"path":"x"}' } };
const callOfOther = sse(
  { id: 'm', choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [toolCall] } }] },
  { id: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
);

/** What one of them is sent after another has made a call, and that has a result. */
async function sentAfter(before: Thinker, next: Thinker): Promise<Record<string, unknown>> {
  const called =
    before.provider === other.provider ? callOfOther : callOfClaude('reasoning' in before && before !== quiet);
  const asked = request('look');
  const { model } = await modelWith(streaming(called), { provider: 'anthropic', ...before });
  const { parts } = await answerOf(model, asked);
  const messages: readonly ModelMessage[] = [
    ...asked.messages,
    { role: 'assistant', parts: parts.map((part) => (part.type === 'call' ? { ...part, callId: 'our-a' } : part)) },
    { role: 'results', results: [{ modelCallId: 'a', name: 'list_dir', text: 'one', isError: false }] },
  ];
  const [body] = await sentFor({ provider: 'anthropic', ...next }, request(JSON.parse(JSON.stringify(messages))));
  return JSON.parse(JSON.stringify(body));
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
