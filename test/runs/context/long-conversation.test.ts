import { expect, test } from 'vitest';
import { converse } from './long-conversation.ts';

test('a conversation of 150 turns in a window of 32,000 tokens never fails for its length', async () => {
  const figures = await converse(150, 11);
  expect(figures.notices).toBe(0);
  expect(figures.refused).toBeLessThan(5);
  expect(figures.turns).toBeGreaterThanOrEqual(150);
  expect(figures.summaries).toBeGreaterThan(2);
}, 60_000);
