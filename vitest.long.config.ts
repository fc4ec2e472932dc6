import { defineConfig } from 'vitest/config';

/** The figures that a promise names in full: many kills, many messages. Minutes, not seconds. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
