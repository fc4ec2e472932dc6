import { test } from 'vitest';
import { memoryStaysSteady } from './steady-memory.ts';

test('twenty minutes with a message every five seconds leaves the memory as it was', { timeout: 60_000 }, async () => {
  await memoryStaysSteady(240, 400_000);
});
