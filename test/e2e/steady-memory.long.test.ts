import { test } from 'vitest';
import { memoryStaysSteady } from './steady-memory.ts';

test('a day with a message every ten seconds leaves the memory as it was', async () => {
  await memoryStaysSteady(8_640, 2_000_000);
});
