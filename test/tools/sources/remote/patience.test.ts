import { expect, test } from 'vitest';
import { Patience } from '../../../../src/tools/sources/remote/patience.ts';
import { StoppedClock } from '../../setting.ts';

function patient() {
  const clock = new StoppedClock();
  const over: number[] = [];
  const patience = new Patience({ clock, timeout: 30, most: 100, over: () => over.push(clock.now()) });
  return { clock, over, patience, start: clock.now() };
}

test('patience ends some time after the last sign of life', () => {
  const { clock, over, patience, start } = patient();
  clock.advance(29);
  patience.renew();
  expect(patience.left).toBe(30);
  clock.advance(29);
  expect(over).toEqual([]);
  clock.advance(1);
  expect(over).toEqual([start + 59]);
});

test('patience ends, whatever signs of life there are', () => {
  const { clock, over, patience, start } = patient();
  for (let time = 0; time < 200; time += 10) {
    clock.advance(10);
    if (over.length === 0) patience.renew();
  }
  expect(over).toEqual([start + 100]);
});

test('patience that was stopped waits for nothing', () => {
  const { clock, over, patience } = patient();
  patience.stop();
  clock.advance(1000);
  expect(over).toEqual([]);
  expect(clock.waiting).toBe(0);
});
