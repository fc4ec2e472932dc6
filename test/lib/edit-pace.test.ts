import { expect, test } from 'vitest';
import { EditPace } from '../../src/lib/edit-pace.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** How many changes there are from one second to another, when each is made as soon as it may be. */
function paced(pause: number) {
  const clock = new ManualClock(0);
  const pace = new EditPace({ clock, pause });
  const changesUntil = (end: number): number => {
    let count = 0;
    for (; ; clock.advance(10)) {
      if (clock.now() >= end) return count;
      if (pace.earliest > clock.now()) continue;
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
    return pace.earliest - clock.now();
  });
  expect(pauses.map(Math.round)).toEqual([1500, 2250, 3375, 5063, 7594, 11_391, 15_000, 15_000, 15_000]);
  pace.refuse(60_000);
  expect(pace.earliest - clock.now()).toBe(60_000);
  expect(pace.refusedFor).toBe(60_000);
});

test('a platform that wants longer pauses than that has them', () => {
  const { clock, pace } = paced(20_000);
  pace.begin();
  expect(pace.earliest - clock.now()).toBe(20_000);
});
