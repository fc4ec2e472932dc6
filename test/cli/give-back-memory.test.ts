import { expect, test } from 'vitest';
import { giveBackMemory } from '../../src/cli/give-back-memory.ts';
import { ManualClock } from '../support/manual-clock.ts';

const megabytes = 2 ** 20;

/** A process of 100 MB after its start, of which each collection leaves 80. */
function processSetting() {
  const clock = new ManualClock();
  const done: string[] = [];
  const now = { size: 100 * megabytes, isWorking: false, looks: 0 };
  const rests: (() => void)[] = [];
  giveBackMemory({
    clock,
    isWorking: () => now.isWorking,
    onRest: (listener) => rests.push(listener),
    memory: {
      size: () => {
        now.looks += 1;
        return now.size;
      },
      collect: () => {
        done.push('collect');
        now.size = 80 * megabytes;
      },
      settle: () => done.push('settle'),
    },
  });
  return {
    clock,
    done,
    looks: () => now.looks,
    begins: (): void => {
      now.isWorking = true;
    },
    rests: (size: number): void => {
      now.isWorking = false;
      now.size = size * megabytes;
      for (const listener of rests) listener();
    },
  };
}

test('what only the start needed is given back once, a moment after it', () => {
  const { clock, done } = processSetting();
  expect(done).toEqual([]);
  clock.advance(1_500);
  expect(done).toEqual(['collect', 'settle']);
  clock.advance(600_000);
  expect(done).toHaveLength(2);
  expect(clock.waits).toEqual([]);
});

test('while something runs, the start waits with that until it rests', () => {
  const { clock, done, begins, rests } = processSetting();
  begins();
  clock.advance(60_000);
  expect(done).toEqual([]);
  rests(100);
  clock.advance(2_000);
  expect(done).toEqual(['collect', 'settle']);
});

test('what a burst has left is given back two seconds after the last run, once', () => {
  const { clock, done, begins, rests } = processSetting();
  clock.advance(1_500);
  begins();
  rests(250);
  clock.advance(1_999);
  expect(done).toEqual(['collect', 'settle']);
  clock.advance(1);
  expect(done).toEqual(['collect', 'settle', 'collect']);
  clock.advance(600_000);
  expect(done).toHaveLength(3);
});

test('a run that begins meanwhile is not held up, and its rest counts anew', () => {
  const { clock, done, begins, rests } = processSetting();
  clock.advance(1_500);
  rests(250);
  clock.advance(1_000);
  begins();
  clock.advance(60_000);
  expect(done).toHaveLength(2);
  rests(250);
  clock.advance(1_000);
  rests(250);
  clock.advance(1_000);
  expect(done).toHaveLength(2);
  clock.advance(1_000);
  expect(done).toHaveLength(3);
});

test('messages that leave little make no pause, and the size is looked at once after all of them', () => {
  const { clock, done, looks, rests } = processSetting();
  clock.advance(1_500);
  const before = looks();
  for (let size = 80; size < 104; size += 4) rests(size);
  expect(looks()).toBe(before);
  clock.advance(2_000);
  expect(looks()).toBe(before + 1);
  expect(done).toHaveLength(2);
  rests(104);
  clock.advance(2_000);
  expect(done).toHaveLength(3);
});
