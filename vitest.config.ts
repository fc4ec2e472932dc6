import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { trySandbox } from './src/tools/guard/process/sandbox-trial.ts';

/** These start processes and servers: they share some that the code under test does not. */
const outside = ['test/{e2e,support-tests}/**/*.test.ts'];
/** What measures a process, or loads several versions of one HTTP client, has a process to itself. */
const alone = [
  'test/*.test.ts',
  'test/{contracts,daemon}/**/*.test.ts',
  'test/support-tests/discord*.test.ts',
  'test/**/memory*.test.ts',
];
const long = 'test/**/*.long.test.ts';

/** What commands are kept from in a real sandbox can be seen only where there is one. What holds elsewhere is tested everywhere. */
const sandbox = await trySandbox({ environment: process.env, needsNetwork: true });
if (!sandbox.holds) process.stderr.write(`The tests of the sandbox are not among these: ${sandbox.reason}.\n`);
const left = [long, ...(sandbox.holds ? [] : ['test/**/*.bwrap.test.ts'])];

/** As package.json exports them, where nothing is built. */
const alias = {
  'keyturn/channel-contract': fileURLToPath(new URL('./test/contracts/contract-library.ts', import.meta.url)),
  'keyturn/channel': fileURLToPath(new URL('./src/conversation/channel-plugins/channel-library.ts', import.meta.url)),
};

export default defineConfig({
  resolve: { alias },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 4,
    // What Keyturn loads of an operator's own files is for Node to load: the query marks it.
    server: { deps: { external: [/[?]keyturn=/] } },
    projects: [
      // Nothing keeps a state of its own in a module: these can share a process, and what they import is loaded once.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...left, ...alone, ...outside],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'outside', include: outside, exclude: [...left, ...alone], isolate: false } },
      { extends: true, test: { name: 'alone', include: alone, exclude: left } },
    ],
  },
});
