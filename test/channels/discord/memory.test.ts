import { test } from 'vitest';
import { crowdsAreForgotten } from './memory-of-crowds.ts';

test('some thousand people leave the memory as it was', async () => {
  await crowdsAreForgotten({ people: 4_000, mostGrowth: 800_000 });
});
