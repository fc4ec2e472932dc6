import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/models/language-model.ts';
import { withContinuation } from '../../src/models/retry.ts';
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
      'and is begun again in other words',
      [
        [says(shown), cut],
        [says('The answer to your question, well, '), ends()],
      ],
      2,
    ],
    ['before anything of it is to be seen', [[says('\n'), cut], [ends()]], 1],
  ] as const)('%s fails as it did', async (_how, attempts, asked) => {
    const model = new SteppingModel(attempts);
    const { error } = await failureOf(withContinuation(model), request('hello'));
    expect([error, model.requests.length]).toEqual([cut, asked]);
  });

  test('within a call goes on behind its text, and what shows of the call is taken back', async () => {
    const call = { type: 'partial-call', modelCallId: 'a', name: 'echo', arguments: {} } as const;
    const whole = { type: 'call', modelCallId: 'b', name: 'echo', arguments: {} } as const;
    const model = new SteppingModel([
      [says(shown), call, cut],
      [{ ...call, modelCallId: 'b' }, ends(whole)],
    ]);
    const events = await eventsOf(withContinuation(model), request('hello'));
    expect(events.map(({ type }) => type)).toEqual([
      'text',
      'partial-call',
      'calls-withdrawn',
      'partial-call',
      'finish',
    ]);
    expect(events.at(-1)).toMatchObject({ answer: { parts: [{ type: 'text', text: shown }, whole] } });
  });

  test('for a reason that lies in the request is not taken up', async () => {
    const filtered = new ModelError('permanent', 'held back');
    const model = new SteppingModel([[says(shown), filtered]]);
    expect((await failureOf(withContinuation(model), request('hello'))).error).toBe(filtered);
    expect(model.requests).toHaveLength(1);
  });
});

describe.each([1, 3, 1000])('a continuation in pieces of %i', (size) => {
  const before = 'The first line of the answer.\nThe second line of it, which breaks of';

  /** The whole text that people see. */
  async function joined(written: string, begun = before): Promise<string> {
    const pieces = Array.from({ length: Math.ceil(written.length / size) }, (_, at) => at * size);
    const more = pieces.map((at) => says(written.slice(at, at + size)));
    const model = new SteppingModel([
      [says(begun), cut],
      [...more, ends({ type: 'text', text: written })],
    ]);
    return textOf(await eventsOf(withContinuation(model), request('hello')));
  }

  test.each([
    ['goes on where the text broke off', 'f here, and ends.'],
    ['repeats the end', 'The second line of it, which breaks off here, and ends.'],
    ['repeats all of it', `${before}f here, and ends.`],
    ['writes the last word again', 'off here, and ends.'],
  ])('that %s is joined without a seam', async (_how, written) => {
    expect(await joined(written)).toBe(`${before}f here, and ends.`);
  });

  test('that only repeats, or says nothing, adds nothing', async () => {
    expect([await joined('The second line of it, which breaks of'), await joined('')]).toEqual([before, before]);
  });

  test('that repeats all of a short text adds only what is new', async () => {
    expect(await joined('I see. It is so.', 'I see.')).toBe('I see. It is so.');
    expect(await joined('I am so.', 'I a')).toBe('I aI am so.');
  });

  test('that has a word in common with the text by chance stays as it is', async () => {
    expect(await joined('One more.', 'One line.\n')).toBe('One line.\nOne more.');
  });
});
