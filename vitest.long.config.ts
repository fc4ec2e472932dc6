import { defineConfig } from 'vitest/config';
import { requireNode } from './src/find-node.js';

requireNode('`npm run test:long`');

/** The figures that a promise names in full: many kills, many messages, many documents. Minutes, not seconds. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.test.ts', 'test/**/*.{property,scaled}.test.ts', 'test/peers/*.test.ts'],
    env: { KEYTURN_PROPERTY_RUNS: '10000', KEYTURN_THOROUGH: '1' },
    testTimeout: 900_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 100_000 } },
    pool: 'forks',
    globalSetup: ['test/support/empty-database.ts', 'test/support/daemon-bundle.ts'],
    maxWorkers: 2,
    // As in vitest.config.ts: what Keyturn loads of an operator's own files is for Node to load.
    server: { deps: { external: [/[?]keyturn=/] } },
  },
});
