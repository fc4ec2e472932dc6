import { expect, test } from 'vitest';
import { converse } from './long-conversation.ts';

test('a conversation of 10,000 turns in a window of 32,000 tokens never fails for its length', async () => {
  const figures = await converse(10_000, 7);
  expect(figures.notices).toBe(0);
  expect(figures.refused).toBeLessThan(5);
  expect(figures.turns).toBeGreaterThanOrEqual(10_000);
  expect(figures.summaries).toBeGreaterThan(100);
});
