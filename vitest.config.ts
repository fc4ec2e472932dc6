import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { requireNode } from './src/find-node.js';
import { wordsIn } from './src/lib/words.ts';
import { trySandbox } from './src/tools/guard/process/sandbox-trial.ts';
import { findBrowser } from './test/support/browser/find-browser.ts';
import { memoryFolder } from './test/support/memory-folder.ts';
import { lackOfRecorder } from './test/support/power/recording.ts';

requireNode('`npm test`, or `npm test -- FOLDER`');

/** These start processes and servers: they share some that the code under test does not. */
const outside = ['test/{e2e,support-tests}/**/*.test.ts'];
/** What measures a process, or loads several versions of one HTTP client, has a process to itself. */
const alone = ['test/*.test.ts', 'test/{contracts,daemon}/**/*.test.ts', 'test/**/memory*.test.ts'];
const long = 'test/**/*.long.test.ts';
/** In a real sandbox, whose own /dev covers the folder below. */
const sandboxed = 'test/**/*.bwrap.test.ts';
/** Against servers of others, which only `npm run test:long` installs. */
const peers = 'test/peers/**';

/** What commands are kept from in a real sandbox can be seen only where there is one. What holds elsewhere is tested everywhere. */
const sandbox = await trySandbox({ environment: process.env, needsNetwork: true });
if (!sandbox.holds)
  process.stderr.write(`The tests of the sandbox are not among these: ${wordsIn('en', sandbox.reason)}.\n`);

/** What the power may fail at is recorded by strace. */
const recorded = 'test/**/power-failure*';
const lacksRecorder = lackOfRecorder();
if (lacksRecorder !== undefined)
  process.stderr.write(`The test of power failures is not among these: ${lacksRecorder}.\n`);

/** In a real browser. */
const browsed = 'test/**/*.browser.test.ts';
const hasBrowser = findBrowser(process.env) !== undefined;
if (!hasBrowser)
  process.stderr.write(
    'The tests in a browser are not among these: there is no chromium. KEYTURN_CHROMIUM names one.\n',
  );
const left = [
  ...[long, peers],
  ...(sandbox.holds ? [] : [sandboxed]),
  ...(hasBrowser ? [] : [browsed]),
  ...(lacksRecorder === undefined ? [] : [recorded]),
];

const env = memoryFolder();

/** For programs that check what was sent: see the file. */
const recorder = process.env.KEYTURN_RECORD === undefined ? [] : ['test/support/record-requests.ts'];

/** As packages export them, where nothing is built. */
const alias = {
  '@keyturn/client': fileURLToPath(new URL('./packages/client/src/client.ts', import.meta.url)),
  '@keyturn/sdk/channel-contract': fileURLToPath(new URL('./test/contracts/contract-library.ts', import.meta.url)),
  '@keyturn/sdk/channel': fileURLToPath(
    new URL('./src/conversation/channel-plugins/channel-library.ts', import.meta.url),
  ),
};

export default defineConfig({
  resolve: { alias },
  test: {
    // No test asserts how long something takes: these only end what hangs, on a machine that is twenty times as slow.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 100_000 } },
    pool: 'forks',
    globalSetup: ['test/support/empty-database.ts', 'test/support/browser/built-page.ts'],
    setupFiles: recorder,
    // More than the processors of a small machine: the tests of whole processes mostly wait.
    maxWorkers: 6,
    // What Keyturn loads of an operator's own files is for Node to load: the query marks it.
    server: { deps: { external: [/[?]keyturn=/] } },
    projects: [
      // Nothing keeps a state of its own in a module: these can share a process, and what they import is loaded once.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...left, ...alone, ...outside, sandboxed, browsed],
          isolate: false,
          env,
        },
      },
      {
        extends: true,
        test: {
          name: 'outside',
          include: outside,
          exclude: [...left, ...alone, sandboxed],
          isolate: false,
          env,
          globalSetup: 'test/support/daemon-bundle.ts',
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: left, env } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browsed],
          exclude: left,
          isolate: false,
          env,
          // Behind all others, and few at a time: each has a browser of its own, with processes of its own.
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
        },
      },
      { extends: true, test: { name: 'sandboxed', include: [sandboxed], exclude: left, isolate: false } },
    ],
  },
});
