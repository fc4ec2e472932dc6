import { expect, test } from 'vitest';
import { CallTimer } from '../../src/tools/call-timer.ts';
import { StoppedClock } from './setting.ts';

function timing() {
  const clock = new StoppedClock();
  let ends = 0;
  const timer = new CallTimer({
    clock,
    milliseconds: 100,
    over: () => {
      ends += 1;
    },
  });
  return { clock, timer, ends: () => ends };
}

test('the time of a call is over once', () => {
  const { clock, ends } = timing();
  clock.advance(99);
  expect(ends()).toBe(0);
  clock.advance(1);
  clock.advance(1000);
  expect(ends()).toBe(1);
});

test('it stands still until all who stopped it let it go on', () => {
  const { clock, timer, ends } = timing();
  clock.advance(60);
  const first = timer.pause();
  const second = timer.pause();
  clock.advance(1000);
  first();
  clock.advance(1000);
  second();
  expect(timer.paused).toBe(2000);
  clock.advance(39);
  expect(ends()).toBe(0);
  clock.advance(1);
  expect(ends()).toBe(1);
});

test('it can begin anew, also while it stands still', () => {
  const { clock, timer, ends } = timing();
  clock.advance(60);
  timer.beginAnew();
  clock.advance(60);
  const goOn = timer.pause();
  timer.beginAnew();
  goOn();
  clock.advance(99);
  expect(ends()).toBe(0);
  clock.advance(1);
  expect(ends()).toBe(1);
});

test('once stopped it is never over, whoever lets it go on', () => {
  const { clock, timer, ends } = timing();
  const goOn = timer.pause();
  timer.stop();
  goOn();
  clock.advance(1000);
  expect(ends()).toBe(0);
  expect(clock.waiting).toBe(0);
});
