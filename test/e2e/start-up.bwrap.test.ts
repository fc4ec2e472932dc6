import { expect, test } from 'vitest';
import { runMain } from './run-main.ts';

test('a start says that shell commands are kept in a sandbox', async () => {
  const { stderr } = await runMain({ env: { PATH: process.env.PATH ?? '' } });
  expect(stderr).toMatch(/\n {2}Shell {5}(?:bash [\d.]+|sh.*), in a sandbox \(bubblewrap\)\n/);
});
