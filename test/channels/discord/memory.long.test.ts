import { test } from 'vitest';
import { crowdsAreForgotten } from './memory-of-crowds.ts';

test('a hundred thousand people leave the memory as it was', async () => {
  await crowdsAreForgotten({ people: 100_000, mostGrowth: 1_000_000 });
});
