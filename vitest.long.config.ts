import { defineConfig } from 'vitest/config';

/** The figures that a promise names in full: many kills, many messages, many documents. Minutes, not seconds. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.test.ts', 'test/**/*.property.test.ts'],
    env: { KEYTURN_PROPERTY_RUNS: '10000' },
    testTimeout: 900_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
