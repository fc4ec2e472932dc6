import { test } from 'vitest';
import { memoryStaysSteady } from './steady-memory.ts';

test('a day with a message every five seconds leaves the memory as it was', async () => {
  await memoryStaysSteady(17_280, 2_000_000);
});
