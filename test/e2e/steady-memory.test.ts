import { test } from 'vitest';
import { memoryStaysSteady } from './steady-memory.ts';

test('an hour with a message every five seconds leaves the memory as it was', { timeout: 60_000 }, async () => {
  await memoryStaysSteady(720, 1_000_000);
});
