import { expect, test } from 'vitest';
import { runMain } from '../../e2e/run-main.ts';

/** Has the process tell at its end whether a package of OpenTelemetry was looked for. */
const librarian = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  let isFound = false;
  registerHooks({ resolve(specifier, context, next) { isFound ||= specifier.startsWith('@opentelemetry/'); return next(specifier, context); } });
  process.on('exit', () => console.error('traces: ' + isFound));`)}`;

test.each<{ readonly env: Readonly<Record<string, string>>; readonly isLoaded: boolean }>([
  { env: {}, isLoaded: false },
  { env: { OTEL_SERVICE_NAME: 'keyturn' }, isLoaded: false },
  { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }, isLoaded: false },
  { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, isLoaded: true },
])('a start with $env loads the packages of OpenTelemetry: $isLoaded', async ({ env, isLoaded }) => {
  const { stderr } = await runMain({
    files: { 'config.json': '{"model": "offline"}' },
    env: { ...env, NODE_OPTIONS: `--import ${librarian}` },
    stopAt: 'Model ',
    fromSources: true,
  });
  expect(stderr).toContain(`traces: ${isLoaded}\n`);
});
