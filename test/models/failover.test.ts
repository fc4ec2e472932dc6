import { describe, expect, test } from 'vitest';
import { silentLog } from '../../src/lib/log.ts';
import { createFailover } from '../../src/models/failover.ts';
import { ModelError, type ModelFault } from '../../src/models/language-model.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { wordsOf } from '../support/scripted-model.ts';
import { png } from '../support/test-attachments.ts';
import { eventsOf, failureOf, request } from './ask.ts';
import { ends, SteppingModel, says, textOf } from './stepping-model.ts';

const answer = [says('Here.'), ends({ type: 'text', text: 'Here.' })];

function fails(fault: ModelFault, words = `it is ${fault}`, retryAfter?: number) {
  return new ModelError(fault, words, retryAfter === undefined ? {} : { retryAfter });
}

function setting(main: SteppingModel, local: SteppingModel, ...more: readonly SteppingModel[]) {
  const clock = new ManualClock();
  const [first, ...fallbacks] = [main, local, ...more].map((model, at) => ({ name: `m${at}`, model }));
  if (first === undefined) throw new Error('there is no model');
  return { clock, model: createFailover(clock, silentLog)(first, fallbacks) };
}

describe('when a model fails', () => {
  test.each(['transient', 'auth', 'unavailable', 'permanent'] as const)(
    'that is %s, the next one answers',
    async (fault) => {
      const [main, local] = [new SteppingModel([[fails(fault)]]), new SteppingModel([answer])];
      expect(textOf(await eventsOf(setting(main, local).model, request('hello')))).toBe('Here.');
      expect([main.requests.length, local.requests.length]).toEqual([1, 1]);
    },
  );

  test('because the request is too long, no other one is asked before it is as short as can be', async () => {
    const [main, local] = [new SteppingModel([[fails('too-long')]]), new SteppingModel([answer])];
    const { model } = setting(main, local);
    expect((await failureOf(model, request('hello'))).error.fault).toBe('too-long');
    expect(local.requests).toEqual([]);
    expect(textOf(await eventsOf(model, request('hello', { isShortest: true })))).toBe('Here.');
  });

  test('by saying nothing, the next one answers; the last may say nothing', async () => {
    const nothing = [ends({ type: 'text', text: ' ' })];
    const [main, local] = [new SteppingModel([nothing]), new SteppingModel([answer])];
    expect(textOf(await eventsOf(setting(main, local).model, request('hello')))).toBe('Here.');
    const both = setting(new SteppingModel([nothing]), new SteppingModel([nothing])).model;
    expect(await eventsOf(both, request('hello'))).toEqual(nothing);
  });

  test('after some text was shown, no other one is asked', async () => {
    const event = says('Half');
    const [main, local] = [new SteppingModel([[event, fails('transient')]]), new SteppingModel([answer])];
    const { shown } = await failureOf(setting(main, local).model, request('hello'));
    const standIn = new SteppingModel([[event, fails('transient', 'busy', 5000)]]);
    const { model } = setting(new SteppingModel([[fails('auth')]]), standIn);
    expect((await failureOf(model, request('hello'))).error.retryAfter).toBe(5000);
    expect([shown, local.requests.length]).toEqual([[event], 0]);
  });

  test('because it was aborted, the answer ends quietly and nobody else is asked', async () => {
    const abort = new AbortController();
    const local = new SteppingModel([answer]);
    const { model } = setting(new SteppingModel([[fails('too-long')]]), local);
    abort.abort();
    expect(await eventsOf(model, request('hello', { signal: abort.signal }))).toEqual([]);
    expect(local.requests).toEqual([]);
  });
});

describe('a fallback with a window that is smaller than the request', () => {
  class SmallModel extends SteppingModel {
    readonly abilities = () => ({ window: 4096, windowFrom: 'server' as const });
  }

  test('is not asked before it is as short as can be, and its window is told', async () => {
    const local = new SmallModel([answer], { label: 'local (m)' });
    const { model } = setting(new SteppingModel([[fails('transient')]]), local);
    const { error } = await failureOf(model, request('hello', { size: 4097 }));
    expect([error.fault, error.standIn, error.window, local.requests]).toEqual(['too-long', 'local (m)', 4096, []]);
    const { error: again } = await failureOf(model, request('hello', { size: 4097 }));
    expect([again.fault, again.standIn]).toEqual(['too-long', 'local (m)']);
    expect(textOf(await eventsOf(model, request('hello', { size: 4097, isShortest: true })))).toBe('Here.');
  });

  test('is asked if it fits, or nobody knows its size', async () => {
    const local = new SmallModel([answer]);
    const { model } = setting(new SteppingModel([[fails('transient')]]), local);
    expect(textOf(await eventsOf(model, request('hello', { size: 4096 })))).toBe('Here.');
    expect(textOf(await eventsOf(model, request('hello')))).toBe('Here.');
  });
});

test('when all fail, and some may be available again, that is so as soon as the first of these', async () => {
  const { model } = setting(
    new SteppingModel([[fails('permanent')]]),
    new SteppingModel([[fails('transient', 'busy', 60_000)]]),
    new SteppingModel([[fails('transient', 'busy', 5000)]]),
  );
  const { error } = await failureOf(model, request('hello'));
  expect(error).toMatchObject({
    fault: 'transient',
    retryAfter: 5000,
    message: expect.stringMatching(/^it is permanent/),
  });
});

test('when all fail, the person reads the cause of the first, what to do, and that the others failed too', async () => {
  const main = new SteppingModel([[fails('auth', "The key of 'm0' is refused. Check models.m0.api_key.")]]);
  const { model } = setting(
    main,
    new SteppingModel([[fails('transient')]]),
    new SteppingModel([[fails('unavailable')]]),
  );
  const { error } = await failureOf(model, request('hello'));
  expect(error).toMatchObject({
    // What may be available again is waited for.
    fault: 'transient',
    message: "The key of 'm0' is refused. Check models.m0.api_key. ('m1' and 'm2' cannot answer either.)",
  });
});

describe('a model that has failed', () => {
  test('is left alone for a while that doubles, until it answers again', async () => {
    const down = [fails('transient')];
    const main = new SteppingModel([down, down, answer, down, answer]);
    const { clock, model } = setting(main, new SteppingModel([answer]));
    const askedAfter = async (seconds: number): Promise<number> => {
      clock.advance(seconds * 1000);
      await eventsOf(model, request('hello'));
      return main.requests.length;
    };
    expect([await askedAfter(0), await askedAfter(29), await askedAfter(1)]).toEqual([1, 1, 2]);
    expect([await askedAfter(59), await askedAfter(1)]).toEqual([2, 3]);
    // It has answered: the next failure is a first one.
    expect([await askedAfter(0), await askedAfter(30)]).toEqual([4, 5]);
  });

  test('has answered when its answer is finished, though nobody reads on', async () => {
    const down = [fails('transient')];
    const main = new SteppingModel([down, answer, down, answer]);
    const { clock, model } = setting(main, new SteppingModel([answer]));
    for (const seconds of [0, 30, 0, 30]) {
      clock.advance(seconds * 1000);
      for await (const event of model.stream(request('hello'))) if (event.type === 'finish') break;
    }
    expect(main.requests).toHaveLength(4);
  });

  test('is left alone as long as its provider asks for, and ten minutes at most', async () => {
    const [briefly, forLong] = [[fails('transient', 'busy', 100_000)], [fails('transient', 'busy', 86_400_000)]];
    const main = new SteppingModel([briefly, forLong, answer]);
    const { clock, model } = setting(main, new SteppingModel([answer]));
    const asked: number[] = [];
    for (const wait of [0, 99_999, 1, 599_999, 1]) {
      clock.advance(wait);
      await eventsOf(model, request('hello'));
      asked.push(main.requests.length);
    }
    expect(asked).toEqual([1, 1, 2, 2, 3]);
  });

  test('is asked nevertheless when no other one can answer', async () => {
    const main = new SteppingModel([[fails('transient')], answer]);
    const local = new SteppingModel([answer, [fails('transient')]]);
    const { model } = setting(main, local);
    await eventsOf(model, request('hello'));
    expect(textOf(await eventsOf(model, request('hello')))).toBe('Here.');
    expect([main.requests.length, local.requests.length]).toEqual([2, 2]);
  });
});

test('a model that sees no pictures is told that there are some, and is sent none', async () => {
  const blind = new SteppingModel([answer], { seesImages: false });
  const { model } = setting(new SteppingModel([[fails('transient')]]), blind);
  const picture = { role: 'user', text: 'what is it?', images: [{ mediaType: 'image/png', bytes: png }] } as const;
  await eventsOf(model, request([picture]));
  const [asked] = blind.requests;
  expect(asked?.messages.some((message) => 'images' in message)).toBe(false);
  expect(asked === undefined ? '' : wordsOf(asked)).toBe(
    "what is it?\n[the pictures are not below after all: you can't see any]",
  );
  expect(model.seesImages).toBe(true);
});
