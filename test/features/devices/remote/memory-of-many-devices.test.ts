import { test } from 'vitest';
import { callsAreMatched, everybodyIsAnswered } from './many-devices.ts';

test('a hundred calls at once of ten devices are matched, and leave the memory as it was', async () => {
  await callsAreMatched({ devices: 10, calls: 100, rounds: 8, mostGrowth: 400_000 });
});

test('ten people are each answered by their own device', async () => {
  await everybodyIsAnswered({ devices: 10, calls: 100 });
});
