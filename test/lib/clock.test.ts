import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { backOff, createEditPace, endsWithin, untilAborted, withOwnSignal } from '../../src/lib/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

test.each([
  ['before it is waited for', true],
  ['while it is waited for', false],
])('work that fails after its signal has aborted %s is nobody’s fault', async (_when, isBefore) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const [ending, work] = [new AbortController(), Promise.withResolvers<string>()];
    if (isBefore) ending.abort();
    const waited = untilAborted(work.promise, ending.signal);
    ending.abort();
    expect(await waited).toBeUndefined();
    work.reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

test('waiting for an end leaves no timer and no listener behind, however it ends', async () => {
  const clock = new ManualClock();
  const ending = new AbortController();
  const limit = { clock, milliseconds: 1_000, signal: ending.signal };
  const never = new Promise(() => {});
  expect(await endsWithin(Promise.resolve('done'), limit)).toBe(true);
  await expect(endsWithin(Promise.reject(new Error('failed')), limit)).rejects.toThrow('failed');
  expect(clock.waits).toEqual([]);
  const late = endsWithin(never, limit);
  clock.advance(1_000);
  expect(await late).toBe(false);
  expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  const aborted = endsWithin(never, limit);
  ending.abort();
  expect(await aborted).toBe(false);
  expect(await endsWithin(never, limit)).toBe(false);
  expect(clock.waits).toEqual([]);
});

const always = (chance: number) => ({ chance: () => chance });

test('a pause doubles from a second to a minute', () => {
  expect([1, 2, 3, 6, 7, 100].map((failures) => backOff(failures, always(1)))).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
  ]);
  expect(backOff(2, { firstPause: 500, ...always(1) })).toBe(1_000);
  expect(backOff(100, { longestPause: 300_000, ...always(1) })).toBe(300_000);
});

test('a quarter of it is left to chance', () => {
  expect([0, 0.5].map((chance) => backOff(1, always(chance)))).toEqual([750, 875]);
  expect(backOff(100, always(0))).toBe(45_000);
  expect(backOff(1)).toBeGreaterThanOrEqual(750);
});

/** How many changes there are from one second to another, when each is made as soon as it may be. */
function paced(pause: number) {
  const clock = new ManualClock(0);
  const pace = createEditPace(clock, pause);
  const changesUntil = (end: number): number => {
    let count = 0;
    for (; ; clock.advance(10)) {
      if (clock.now() >= end) return count;
      if (pace.earliest() > clock.now()) continue;
      pace.begin();
      count += 1;
    }
  };
  return { clock, pace, changesUntil };
}

test('changes are half as many after 20 s, and a quarter after 60 s', () => {
  const { changesUntil } = paced(1000);
  expect(changesUntil(20_000)).toBe(20);
  expect(changesUntil(60_000)).toBe(20);
  expect(changesUntil(120_000)).toBe(15);
});

test('each refusal makes the pause half as long again, up to 15 s, and nothing changes before its time is over', () => {
  const { clock, pace } = paced(1000);
  const pauses = Array.from({ length: 9 }, () => {
    pace.refuse(100);
    pace.begin();
    return pace.earliest() - clock.now();
  });
  expect(pauses.map(Math.round)).toEqual([1500, 2250, 3375, 5063, 7594, 11_391, 15_000, 15_000, 15_000]);
  pace.refuse(60_000);
  expect(pace.earliest() - clock.now()).toBe(60_000);
  expect(pace.refusedFor()).toBe(60_000);
});

test('a platform that wants longer pauses than that has them', () => {
  const { clock, pace } = paced(20_000);
  pace.begin();
  expect(pace.earliest() - clock.now()).toBe(20_000);
});

test('work gets a signal of its own: listeners that it leaves there are not kept by the signal that outlives it', async () => {
  const ending = new AbortController();
  let left: AbortSignal | undefined;
  const aborted = await withOwnSignal(ending.signal, async ({ signal }) => {
    left = signal;
    signal.addEventListener('abort', () => {});
    expect(getEventListeners(ending.signal, 'abort')).toHaveLength(1);
    return signal.aborted;
  });
  ending.abort();
  expect([aborted, left?.aborted, getEventListeners(ending.signal, 'abort')]).toEqual([false, false, []]);
  expect(await withOwnSignal(ending.signal, async ({ signal }) => signal.aborted)).toBe(true);
});
