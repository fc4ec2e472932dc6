import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { type LanguageModel, ModelError, type ModelEvent, type ModelFault } from '../../src/models/language-model.ts';
import { withPictureFallback, withRetries } from '../../src/models/retry.ts';
import { ScriptedModel, wordsOf } from '../support/scripted-model.ts';
import { png } from '../support/test-attachments.ts';
import { answerOf, eventsOf, failureOf, request } from './ask.ts';
import { SteppingModel } from './stepping-model.ts';

const done: ModelEvent = { type: 'finish', answer: { parts: [], usage: { inputTokens: 0, outputTokens: 0 } } };

function scripted(...attempts: readonly (readonly (ModelEvent | Error)[])[]) {
  const model = new SteppingModel(attempts);
  return { model, asked: () => model.requests.length };
}

/** A clock whose every wait is over at once, and which writes them down. */
function impatientClock(onWait: () => void = () => undefined) {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after(milliseconds, callback) {
      waits.push(milliseconds);
      onWait();
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  return { clock, waits };
}

const busy = new ModelError('transient', 'busy');
const random = () => 0.5;

test('a transient failure is tried again twice, each time after a longer pause', async () => {
  const { model, asked } = scripted([busy], [busy], [done]);
  const { clock, waits } = impatientClock();

  await answerOf(withRetries(model, { clock, random }), request('hello'));
  expect(asked()).toBe(3);
  expect(waits).toEqual([625, 1250]);
});

test('a call that was cut in the middle is asked for again, and what shows of it is taken back', async () => {
  const call: ModelEvent = { type: 'partial-call', modelCallId: 'a', name: 'echo', arguments: {} };
  const { model } = scripted([call, busy], [call, done]);
  const { clock } = impatientClock();

  const events = await eventsOf(withRetries(model, { clock, random }), request('hello'));
  expect(events).toEqual([call, { type: 'calls-withdrawn' }, call, done]);
});

test('the third failure is the last', async () => {
  const { model, asked } = scripted([busy], [busy], [busy], [done]);
  const { clock } = impatientClock();

  expect((await failureOf(withRetries(model, { clock, random }), request('hello'))).error).toBe(busy);
  expect(asked()).toBe(3);
});

test('nothing is tried again once something was shown', async () => {
  const { model, asked } = scripted([{ type: 'text', delta: 'Half' }, busy], [done]);
  const { clock } = impatientClock();

  const { shown } = await failureOf(withRetries(model, { clock, random }), request('hello'));
  expect(shown).toEqual([{ type: 'text', delta: 'Half' }]);
  expect(asked()).toBe(1);
});

test.each<ModelEvent>([
  { type: 'reasoning', delta: 'Hm' },
  { type: 'text', delta: '\n' },
])('what nobody sees ($type) does not keep it from being tried again', async (event) => {
  const { model, asked } = scripted([event, busy], [done]);
  const { clock } = impatientClock();

  await answerOf(withRetries(model, { clock, random }), request('hello'));
  expect(asked()).toBe(2);
});

test.each(['auth', 'unavailable', 'too-long', 'permanent'] as const)(
  'a failure that is %s is not tried again',
  async (fault) => {
    const { model, asked } = scripted([new ModelError(fault, 'no')], [done]);
    const { clock } = impatientClock();

    await failureOf(withRetries(model, { clock, random }), request('hello'));
    expect(asked()).toBe(1);
  },
);

test('a bug is not tried again, and rises as it is', async () => {
  const { model, asked } = scripted([new RangeError('bug')], [done]);
  const { clock } = impatientClock();

  await expect(eventsOf(withRetries(model, { clock, random }), request('hello'))).rejects.toThrow(RangeError);
  expect(asked()).toBe(1);
});

test('the provider is not asked again before it wants to be', async () => {
  const { model } = scripted([new ModelError('transient', 'busy', { retryAfter: 7000 })], [done]);
  const { clock, waits } = impatientClock();

  await answerOf(withRetries(model, { clock, random }), request('hello'));
  expect(waits).toEqual([7000]);
});

test('a provider that wants more than half a minute is not waited for', async () => {
  const { model, asked } = scripted([new ModelError('transient', 'busy', { retryAfter: 30_001 })], [done]);
  const { clock, waits } = impatientClock();

  await failureOf(withRetries(model, { clock, random }), request('hello'));
  expect([asked(), waits]).toEqual([1, []]);
});

test('a model that was silent for longer than a minute is not waited for a second time', async () => {
  const { clock: impatient } = impatientClock();
  let now = 0;
  const clock = { ...impatient, now: () => now };
  const { model, asked } = scripted([busy], [busy], [done]);
  const slow: LanguageModel = {
    label: 'slow',
    seesImages: true,
    async *stream(asking) {
      now += 40_000;
      yield* model.stream(asking);
    },
  };

  expect((await failureOf(withRetries(slow, { clock, random }), request('hello'))).error).toBe(busy);
  expect(asked()).toBe(2);
});

test('an abort during the pause ends quietly', async () => {
  const { model, asked } = scripted([busy], [done]);
  const abort = new AbortController();
  const { clock } = impatientClock(() => abort.abort());

  expect(await eventsOf(withRetries(model, { clock, random }), request('hello', { signal: abort.signal }))).toEqual([]);
  expect(asked()).toBe(1);
});

const picture = { role: 'user', text: 'what is it?', images: [{ mediaType: 'image/png', bytes: png }] } as const;

function failing(fault: ModelFault) {
  return () => {
    throw new ModelError(fault, `it is ${fault}`);
  };
}

describe('a request with pictures', () => {
  test.each(['permanent', 'too-long'] as const)('that is refused (%s) is made again without them', async (fault) => {
    const model = new ScriptedModel();
    model.next(failing(fault), 'I cannot see it');
    const answer = await answerOf(withPictureFallback(model), request([picture, { role: 'user', text: 'well?' }]));
    expect(answer.parts).toMatchObject([{ text: 'I cannot see it' }]);
    expect(model.requests[1]?.messages.some((message) => 'images' in message)).toBe(false);
    expect(model.requests.map(wordsOf)).toEqual([
      'what is it?\nwell?',
      "what is it?\n[the pictures are not below after all: the provider refused them, so you can't see them]\nwell?",
    ]);
  });

  test.each(['transient', 'auth', 'unavailable'] as const)(
    'that fails for another reason (%s) is not',
    async (fault) => {
      const model = new ScriptedModel();
      model.next(failing(fault));
      const { error } = await failureOf(withPictureFallback(model), request([picture]));
      expect([error.fault, model.requests.length]).toEqual([fault, 1]);
    },
  );

  test('that is refused after its answer has begun is not', async () => {
    const model = new ScriptedModel();
    model.next({ early: 'It is', rest: failing('permanent') });
    const { shown } = await failureOf(withPictureFallback(model), request([picture]));
    expect([shown.length, model.requests.length]).toEqual([1, 1]);
  });
});

test('a request without pictures that is refused is not made again', async () => {
  const model = new ScriptedModel();
  model.next(failing('permanent'));
  await failureOf(withPictureFallback(model), request('hello'));
  expect(model.requests).toHaveLength(1);
});
