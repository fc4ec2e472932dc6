import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolStatus } from '../../src/contract.ts';
import { argumentsSoFar, startCallTimer, trackStatus } from '../../src/tools/runner.ts';
import { ManualClock } from '../support/manual-clock.ts';

function timing() {
  const clock = new ManualClock();
  let ends = 0;
  const timer = startCallTimer(clock, 100, () => {
    ends += 1;
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
  expect(timer.paused()).toBe(2000);
  clock.advance(39);
  expect(ends()).toBe(0);
  clock.advance(1);
  expect(ends()).toBe(1);
});

test('it can start over, also while it stands still', () => {
  const { clock, timer, ends } = timing();
  clock.advance(60);
  timer.restart();
  clock.advance(60);
  const goOn = timer.pause();
  timer.restart();
  goOn();
  clock.advance(99);
  expect(ends()).toBe(0);
  clock.advance(1);
  expect(ends()).toBe(1);
});

test('once stopped it is never over, no matter who lets it go on', () => {
  const { clock, timer, ends } = timing();
  const goOn = timer.pause();
  timer.stop();
  goOn();
  clock.advance(1000);
  expect(ends()).toBe(0);
  expect(clock.waits.length).toBe(0);
});

function tracked() {
  const shown: ToolStatus[] = [];
  return { shown, status: trackStatus({ id: 'c1', prepared: { toolName: 'shell' } }, (status) => shown.push(status)) };
}

test('a status goes from waiting over doing to the end, and keeps its tip', () => {
  const { shown, status } = tracked();
  status.wait('run `ls`');
  status.doing();
  status.doing('half');
  status.doing('half');
  status.end(true, 250);
  const call = { callId: 'c1', toolName: 'shell' };
  expect(shown).toEqual([
    { ...call, state: 'wait', tip: 'run `ls`' },
    { ...call, state: 'doing', tip: 'run `ls`' },
    { ...call, state: 'doing', tip: 'half' },
    { ...call, state: 'success', tip: 'half', duration: 250 },
  ]);
});

test('nothing goes back, and nothing follows the end, in whatever order it is told', () => {
  const order = { wait: 0, doing: 1, success: 2, error: 2 };
  const told = fc.array(
    fc.tuple(fc.constantFrom('wait', 'doing', 'good', 'bad'), fc.option(fc.string(), { nil: undefined })),
  );
  fc.assert(
    fc.property(told, (steps) => {
      const { shown, status } = tracked();
      for (const [step, tip] of steps) {
        if (step === 'wait') status.wait(tip);
        else if (step === 'doing') status.doing(tip);
        else status.end(step === 'good', 1, tip);
      }
      const ranks = shown.map(({ state }) => order[state]);
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect(ranks.filter((rank) => rank === 2).length).toBeLessThanOrEqual(1);
    }),
  );
});

test('arguments are one line of JSON', () => {
  expect(argumentsSoFar({ path: 'a\nb', deep: [1, { x: null }] })).toBe('{"path":"a\\nb","deep":[1,{"x":null}]}');
});

test('no arguments are nothing to show', () => {
  expect(argumentsSoFar({})).toBeUndefined();
  expect(argumentsSoFar('')).toBeUndefined();
});

test('they are cut at 200 characters, and never in the middle of one', () => {
  for (let length = 150; length < 260; length += 1) {
    const shown = argumentsSoFar({ path: `${'x'.repeat(length)}${'😀'.repeat(60)}` });
    expect(shown?.length).toBeLessThanOrEqual(200);
    expect(shown?.length).toBeGreaterThan(197);
    expect(shown?.isWellFormed()).toBe(true);
    expect(shown).not.toContain('\\ud83d');
  }
});
