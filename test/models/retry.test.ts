import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelFault,
  type ModelRequest,
} from '../../src/models/language-model.ts';
import { withRetries } from '../../src/models/retry.ts';
import { wordsOf } from '../support/scripted-model.ts';
import { png } from '../support/test-attachments.ts';
import { eventsOf, failureOf, request } from './ask.ts';
import { ends, SteppingModel, says } from './stepping-model.ts';

type Attempt = readonly (ModelEvent | Error)[];

/** A model that goes through these attempts, and a clock whose every wait is over at once, and is written down. */
function retried(attempts: readonly Attempt[], { onWait = () => {}, takes = 0 } = {}) {
  const model = new SteppingModel(attempts);
  const waits: number[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    after(milliseconds, callback) {
      waits.push(milliseconds);
      onWait();
      queueMicrotask(callback);
      return () => {};
    },
  };
  const slow: LanguageModel = {
    ...{ label: 'slow', seesImages: true },
    stream(asked) {
      now += takes;
      return model.stream(asked);
    },
  };
  return { model, waits, patient: withRetries(slow, { clock, random: () => 0.5 }) };
}

const busy = new ModelError('transient', 'busy');
const wants = (retryAfter: number) => new ModelError('transient', 'busy', { retryAfter });
const call: ModelEvent = { type: 'partial-call', modelCallId: 'a', name: 'echo', arguments: {} };
const done = ends();

describe('a transient failure is tried again', () => {
  test.each<readonly [what: string, attempts: readonly Attempt[], waits: readonly number[], events: Attempt]>([
    ['twice, each time after a longer pause', [[busy], [busy], [done]], [625, 1250], [done]],
    ['not before the provider wants it', [[wants(7000)], [done]], [7000], [done]],
    [
      'in the middle of a call, and what shows of that is taken back',
      [
        [call, busy],
        [call, done],
      ],
      [625],
      [call, { type: 'calls-withdrawn' }, call, done],
    ],
    ...[{ type: 'reasoning', delta: 'Hm' } as const, says('\n')].map(
      (unseen) =>
        [`behind what nobody sees (${unseen.type})`, [[unseen, busy], [done]], [625], [unseen, done]] as const,
    ),
  ])('%s', async (_what, attempts, waits, events) => {
    const { patient, waits: waited } = retried(attempts);
    expect([await eventsOf(patient, request('hello')), waited]).toEqual([events, waits]);
  });

  test.each<readonly [what: string, attempts: readonly Attempt[], asked: number, takes: number]>([
    ['a third time', [[busy], [busy], [busy], [done]], 3, 0],
    ['once something was shown', [[says('Half'), busy], [done]], 1, 0],
    ['whose provider wants more than half a minute', [[wants(30_001)], [done]], 1, 0],
    ['after a minute of silence', [[busy], [busy], [done]], 2, 40_000],
  ])('but not %s', async (_what, attempts, asked, takes) => {
    const { model, patient } = retried(attempts, { takes });
    expect((await failureOf(patient, request('hello'))).error.fault).toBe('transient');
    expect(model.requests).toHaveLength(asked);
  });

  test('and an abort during the pause ends quietly', async () => {
    const abort = new AbortController();
    const { model, patient } = retried([[busy], [done]], { onWait: () => abort.abort() });
    expect(await eventsOf(patient, request('hello', { signal: abort.signal }))).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });
});

test('a bug is not tried again, and rises as it is', async () => {
  const { model, patient } = retried([[new RangeError('bug')], [done]]);
  await expect(eventsOf(patient, request('hello'))).rejects.toThrow(RangeError);
  expect(model.requests).toHaveLength(1);
});

const picture = { role: 'user', text: 'what is it?', images: [{ mediaType: 'image/png', bytes: png }] } as const;
const fails = (fault: ModelFault) => new ModelError(fault, `it is ${fault}`);

describe('a request with pictures', () => {
  test.each(['permanent', 'too-long'] as const)('that is refused (%s) is made again without them', async (fault) => {
    const { model, patient } = retried([[fails(fault)], [busy], [done]]);
    expect(await eventsOf(patient, request([picture, { role: 'user', text: 'well?' }]))).toEqual([done]);
    const withheld =
      "what is it?\n[the pictures are not below after all: the provider refused them, so you can't see them]\nwell?";
    expect(model.requests.map(wordsOf)).toEqual(['what is it?\nwell?', withheld, withheld]);
    expect(model.requests[1]?.messages.some((message) => 'images' in message)).toBe(false);
  });

  test.each<readonly [what: string, attempt: Attempt, asked: ModelRequest]>([
    ['fails for another reason (auth)', [fails('auth')], request([picture])],
    ['fails for another reason (unavailable)', [fails('unavailable')], request([picture])],
    ['is refused after its answer has begun', [says('It is'), fails('permanent')], request([picture])],
    ['has none, and is refused', [fails('permanent')], request('hello')],
    ['has none, and is too long', [fails('too-long')], request('hello')],
  ])('that %s is not made again', async (_what, attempt, asked) => {
    const { model, patient } = retried([attempt, [done]]);
    await failureOf(patient, asked);
    expect(model.requests).toHaveLength(1);
  });
});
