import { beforeEach, expect, test } from 'vitest';
import { HaltedRuns } from '../../../src/features/devices/halting.ts';
import { silentLog } from '../../../src/lib/log.ts';

let told: string[] = [];
beforeEach(() => {
  told = [];
});

function haltedRuns(runsOf: () => Promise<readonly string[]>): HaltedRuns {
  return new HaltedRuns('d1', {
    stored: { devices: { runsOf } },
    log: { ...silentLog, error: (_fields: object, words: string) => void told.push(words) },
    halt(conversationIds) {
      told.push(`halted ${conversationIds.join(', ')}`);
      return () => void told.push('went on');
    },
  });
}

test('the runs of a revoked device are halted until the revocation is stored', async () => {
  const halted = haltedRuns(async () => ['device:a', 'sub:b']);
  halted.begin();
  await halted.settled();
  expect(told).toEqual(['halted device:a, sub:b']);
  halted.over();
  expect(told).toEqual(['halted device:a, sub:b', 'went on']);
});

test('a revocation that is stored before its runs are known halts nothing afterwards', async () => {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const halted = haltedRuns(() => promise);
  halted.begin();
  halted.over();
  resolve(['device:a']);
  await halted.settled();
  expect(told).toEqual([]);
});

test('a database that cannot be read does not keep a device from being revoked', async () => {
  const halted = haltedRuns(() => Promise.reject(new Error('unreadable')));
  halted.begin();
  await halted.settled();
  halted.over();
  expect(told).toEqual(['the runs of a device go on until it is stored that it is revoked']);
});

test('nothing is halted for what is not begun', async () => {
  const halted = haltedRuns(async () => ['device:a']);
  halted.over();
  await halted.settled();
  expect(told).toEqual([]);
});
