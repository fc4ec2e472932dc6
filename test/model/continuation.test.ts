import { describe, expect, test } from 'vitest';
import { withContinuation } from '../../src/model/continuation.ts';
import { ModelError } from '../../src/model/language-model.ts';
import { eventsOf, failureOf, request } from './ask.ts';
import { ends, SteppingModel, says, textOf } from './stepping-model.ts';

const cut = new ModelError('transient', 'it broke off', { usage: { inputTokens: 7, outputTokens: 2 } });
const shown = 'The answer to your question is fo';

describe('an answer that breaks off', () => {
  test('after some text is taken up again, and no word is shown twice', async () => {
    const more = [says('rty'), says('-two.'), ends({ type: 'text', text: 'rty-two.' })];
    const model = new SteppingModel([[says('The answer to your question '), says('is fo'), cut], more]);
    const events = await eventsOf(withContinuation(model), request('what is it?'));
    expect(textOf(events)).toBe('The answer to your question is forty-two.');
    expect(events.at(-1)).toEqual({
      type: 'finish',
      answer: {
        parts: [
          { type: 'text', text: shown },
          { type: 'text', text: 'rty-two.' },
        ],
        usage: { inputTokens: 17, outputTokens: 7 },
      },
    });
    expect(model.requests[1]?.messages).toEqual([
      { role: 'user', text: 'what is it?' },
      { role: 'assistant', parts: [{ type: 'text', text: shown }] },
      { role: 'user', text: expect.stringMatching(/^<keyturn_event kind="answer_cut">[\s\S]*<\/keyturn_event>$/) },
    ]);
  });

  test('is stored as it is shown where the model repeats itself, with its thoughts first and its calls last', async () => {
    const call = { type: 'call', modelCallId: 'a', name: 'echo', arguments: {} } as const;
    const thought = { type: 'reasoning', text: 'On.' } as const;
    const again = `${shown}rty-two.`;
    const more = [
      { type: 'reasoning', delta: 'On.' } as const,
      says(again),
      { type: 'partial-call', modelCallId: 'a', name: 'echo', arguments: {} } as const,
      ends(thought, { type: 'text', text: again }, call),
    ];
    const events = await eventsOf(withContinuation(new SteppingModel([[says(shown), cut], more])), request('hello'));
    expect(textOf(events)).toBe(again);
    expect(events.at(-1)).toMatchObject({
      answer: { parts: [thought, { type: 'text', text: shown }, { type: 'text', text: 'rty-two.' }, call] },
    });
  });

  test.each([
    ['a second time', [[says(shown), cut], [says('rty'), cut], [ends()]], 2],
    ['and cannot be taken up', [[says(shown), cut], [new ModelError('auth', 'no')]], 2],
    [
      'and is begun anew in other words',
      [
        [says(shown), cut],
        [says('The answer to your question, well, '), ends()],
      ],
      2,
    ],
    ['before anything of it is to be seen', [[says('\n'), cut], [ends()]], 1],
    ['behind a call that stands in its text', [[says('I look. <tool_call>{"name": "ec'), cut], [ends()]], 1],
    [
      'within a call',
      [[says(shown), { type: 'partial-call', modelCallId: 'a', name: 'echo', arguments: {} }, cut], [ends()]],
      1,
    ],
  ] as const)('%s fails as it did', async (_how, attempts, asked) => {
    const model = new SteppingModel(attempts);
    const { error } = await failureOf(withContinuation(model), request('hello'));
    expect([error, model.requests.length]).toEqual([cut, asked]);
  });

  test('for a reason that lies in the request is not taken up', async () => {
    const filtered = new ModelError('permanent', 'held back');
    const model = new SteppingModel([[says(shown), filtered]]);
    expect((await failureOf(withContinuation(model), request('hello'))).error).toBe(filtered);
    expect(model.requests).toHaveLength(1);
  });

  test('because nobody wants it any more ends quietly', async () => {
    const abort = new AbortController();
    const model = new SteppingModel([[says(shown), cut], [ends()]]);
    const seen: string[] = [];
    for await (const event of withContinuation(model).stream(request('hello', { signal: abort.signal }))) {
      seen.push(event.type);
      abort.abort();
    }
    expect([seen, model.requests.length]).toEqual([['text'], 1]);
  });
});
