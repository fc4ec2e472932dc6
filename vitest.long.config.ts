import { defineConfig } from 'vitest/config';
import type { TestSequencer, TestSpecification } from 'vitest/node';
import { requireNode } from './src/find-node.js';
import { lackOfLlama } from './test/peers/support/llama-server.ts';
import { lackOfValidators } from './test/peers/support/validators.ts';
import { findBrowser } from './test/support/browser/find-browser.ts';
import { memoryFolder } from './test/support/memory-folder.ts';
import { lackOfRecorder } from './test/support/power/recording.ts';

requireNode('`npm run test:long`');

/** With a model that really computes. */
const withLlama = 'test/peers/llama-*.test.ts';
const lacks = lackOfLlama();
if (lacks !== undefined) process.stderr.write(`The tests with a real llama.cpp are not among these: ${lacks}.\n`);
/** With models of requests that others have written, in Python. */
const withValidators = 'test/peers/validated-*.test.ts';
const lacksValidators = lackOfValidators();
if (lacksValidators !== undefined)
  process.stderr.write(`The tests with validators of others are not among these: ${lacksValidators}.\n`);
/** What the power may fail at is recorded by strace. */
const recorded = 'test/**/power-failure*';
const lacksRecorder = lackOfRecorder();
if (lacksRecorder !== undefined)
  process.stderr.write(`The test of power failures is not among these: ${lacksRecorder}.\n`);
/** In a real browser. */
const browsed = 'test/**/*.browser.long.test.ts';
const hasBrowser = findBrowser(process.env) !== undefined;
if (!hasBrowser) process.stderr.write('The tests in a browser are not among these: there is no chromium.\n');
const left = [
  ...(hasBrowser ? [] : [browsed]),
  ...(lacks === undefined ? [] : [withLlama]),
  ...(lacksValidators === undefined ? [] : [withValidators]),
  ...(lacksRecorder === undefined ? [] : [recorded]),
];

/** What takes minutes, the longest first: begun last, each would be alone at the end. */
const longest = [
  'e2e/random-kills',
  'attacks/attacks',
  'e2e/power-failure',
  'e2e/backup-under-load.long',
  // These mostly wait.
  'e2e/faulty-',
  'e2e/edited-config',
  'test/mutants',
  'features/deletion',
  'e2e/crash-points',
  'e2e/discord-downtime',
  'e2e/steady-memory',
  'contracts/memory',
  'context.long',
  'many-devices',
  'every-source',
  'property',
];

class LongestFirst implements TestSequencer {
  async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }

  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groups = longest.map((name) => files.filter(({ moduleId }) => moduleId.includes(name)));
    // Of a name that is there twice, the first place counts.
    return [...new Set([...groups.flat(), ...files])];
  }
}

/** The figures that a promise names in full: many kills, many messages, many documents. Minutes, not seconds. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.test.ts', 'test/**/*.{property,scaled}.test.ts', 'test/peers/*.test.ts'],
    exclude: left,
    env: { KEYTURN_PROPERTY_RUNS: '10000', KEYTURN_THOROUGH: '1', ...memoryFolder() },
    testTimeout: 900_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 100_000 } },
    pool: 'forks',
    globalSetup: [
      'test/support/empty-database.ts',
      'test/support/daemon-bundle.ts',
      'test/support/browser/built-page.ts',
    ],
    // More than the processors of a small machine: some of these wait through an outage of a minute, others compute.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // As in vitest.config.ts: what Keyturn loads of an operator's own files is for Node to load.
    server: { deps: { external: [/[?]keyturn=/] } },
  },
});
