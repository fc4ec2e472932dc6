import { describe, expect, test } from 'vitest';
import { modelWords } from '../../src/models/words.ts';
import { answerOf, failureOf, modelWith, request } from './ask.ts';
import { beginStream, chunk, sse, streaming } from './wire-server.ts';

const say = modelWords.en;
const done = chunk({}, 'stop');
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const nestedObject = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const withDelta = (delta: string): string => `data: {"choices":[{"delta":${delta}}]}\n\n`;

describe('what is nested deeper than anything means', () => {
  test.each([
    ['calls', withDelta(`{"tool_calls":${nested(20_000)}}`)],
    ['thoughts', withDelta(`{"reasoning":${nested(20_000)}}`)],
    [
      'arguments',
      withDelta(`{"tool_calls":[{"index":0,"function":{"name":"read_file","arguments":${nestedObject(20_000)}}}]}`),
    ],
    ['an error', `data: {"error":${nestedObject(20_000)}}\n\n`],
    ['all', `data: ${nested(500_000)}\n\n`],
  ])('in an answer cannot be read: %s', async (_where, event) => {
    const { model } = await modelWith(streaming(sse(chunk({ content: 'Half' })) + event));
    const { error, shown } = await failureOf(model, request('hello'));
    expect(error.fault).toBe('faulty');
    expect(error.message).toContain(say.unreadableEvent({ modelKey: 'main' }));
    expect(shown).toEqual([{ type: 'text', delta: 'Half' }]);
  });

  test('in a document is no answer', async () => {
    const { model } = await modelWith((response) => {
      response.setHeader('content-type', 'application/json').end(`{"choices":[{"message":${nestedObject(20_000)}}]}`);
    });
    expect((await failureOf(model, request('hello'))).error.fault).toBe('unavailable');
  });

  test.each([nested(9_000), nestedObject(3_000).replaceAll('"a"', '"error"')])(
    'in a refusal is a refusal',
    async (body) => {
      const { model } = await modelWith((response) => response.writeHead(500).end(body));
      expect((await failureOf(model, request('hello'))).error.fault).toBe('faulty');
    },
  );
});

test('a refusal of a megabyte is searched at its ends', async () => {
  const tail = "This model's maximum context length is 8192 tokens.";
  const { model } = await modelWith((response) => response.writeHead(400).end(`${'image '.repeat(160_000)}${tail}`));
  expect((await failureOf(model, request('hello'))).error.fault).toBe('too-long');
});

describe('an answer without an end is given up, and the connection with it', () => {
  const unnamed = (index: number): object => chunk({ tool_calls: [{ index, function: { arguments: '' } }] });
  const call = (index: number): object =>
    chunk({
      tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name: 'read_file', arguments: '' } }],
    });

  test.each([
    ['calls without arguments', call, 'permanent'],
    ['pieces of calls without a name', unnamed, 'faulty'],
    [
      'arguments of a call without a name',
      () => chunk({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(50_000) } }] }),
      'faulty',
    ],
  ] as const)('%s', async (_what, next, fault) => {
    const { server, model } = await modelWith((response) => {
      let index = 0;
      beginStream(response);
      const write = (): void => {
        for (; !response.destroyed && response.write(sse(next(index))); index += 1);
      };
      response.on('drain', write);
      write();
    });
    expect((await failureOf(model, request('hello'))).error.fault).toBe(fault);
    await server.requests[0]?.abandoned;
  });
});

describe('what an answer says of itself', () => {
  test.each([
    [{ prompt_tokens: -4, completion_tokens: 1e300 }, [0, 1_000_000_000]],
    [{ prompt_tokens: 1.4, completion_tokens: 2.6 }, [1, 3]],
    [{ prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: -1 } }, [5, 2]],
  ])('counts: of %o, whole numbers are taken', async (usage, counts) => {
    const { model } = await modelWith(streaming(sse(chunk({ content: 'x' }), { ...done, usage })));
    const { usage: counted } = await answerOf(model, request('hello'));
    expect([counted.inputTokens, counted.outputTokens, counted.cachedInputTokens]).toEqual([...counts, 0]);
  });

  test.each(['max_tokens', 'MAX_TOKENS', 'model_length', 'model_context_window_exceeded'])(
    'that it was cut: %s',
    async (reason) => {
      const { model } = await modelWith(streaming(sse(chunk({ content: 'Half an' }, reason))));
      expect((await answerOf(model, request('hello'))).ending).toBe('cut');
    },
  );

  test.each(['sensitive', 'SAFETY', 'content_filter'])('that it was held back: %s', async (reason) => {
    const { model } = await modelWith(streaming(sse(chunk({ content: 'Half an' }, reason))));
    expect((await answerOf(model, request('hello'))).ending).toBe('withheld');
  });

  test.each(['insufficient_system_resource', 'network_error'])('that it failed: %s', async (reason) => {
    const { model } = await modelWith(streaming(sse(chunk({ content: 'Half an' }, reason))));
    const { error } = await failureOf(model, request('hello'));
    expect([error.fault, error.message.includes(reason)]).toEqual(['faulty', true]);
  });

  test('its thoughts, by either name, if the other one is empty', async () => {
    const delta = { reasoning_content: '', reasoning: 'hm' };
    const { model } = await modelWith(streaming(sse(chunk(delta), chunk({ content: 'x' }, 'stop'))));
    expect((await answerOf(model, request('hello'))).parts).toMatchObject([{ text: 'hm' }, { text: 'x' }]);
  });
});
