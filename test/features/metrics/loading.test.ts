import { expect, test } from 'vitest';
import { runMain } from '../../e2e/run-main.ts';

/** Has the process tell at its end whether the library of metrics was looked for. */
const librarian = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  let isFound = false;
  registerHooks({ resolve(specifier, context, next) { isFound ||= specifier === 'prom-client'; return next(specifier, context); } });
  process.on('exit', () => console.error('metrics: ' + isFound));`)}`;

test.each([
  { metrics: {}, isLoaded: false },
  { metrics: { enabled: true, port: 0 }, isLoaded: true },
])('a start with metrics as $metrics loads their library: $isLoaded', async ({ metrics, isLoaded }) => {
  const { stderr } = await runMain({
    files: { 'config.json': JSON.stringify({ model: 'offline', metrics }) },
    env: { NODE_OPTIONS: `--import ${librarian}` },
    stopAt: 'Model ',
    fromSources: true,
  });
  expect(stderr).toContain(`metrics: ${isLoaded}\n`);
});
