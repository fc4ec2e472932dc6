import { test } from 'vitest';
import { callsAreMatched, everybodyIsAnswered } from './many-devices.ts';

test('a thousand calls at once of a hundred devices are matched, and leave the memory as it was', async () => {
  await callsAreMatched({ devices: 100, calls: 1000, rounds: 20, mostGrowth: 2_000_000 });
});

test('a hundred people are each answered by their own device', async () => {
  await everybodyIsAnswered({ devices: 100, calls: 1000 });
});
