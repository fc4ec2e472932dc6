import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { trySandbox } from './src/tools/guard/process/sandbox-trial.ts';

/** Nothing keeps a state of its own in a module: these can share a process, and what they import is loaded once. */
const together = [
  'agent',
  'approval',
  'channels',
  'client',
  'config',
  'conversation',
  'gateway',
  'lib',
  'model',
  'store',
  'tools',
];
/** These start processes and servers: they share one that the code under test does not. */
const outside = ['e2e', 'support-tests'];
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
      shared('together', together),
      shared('outside', outside),
      { extends: true, test: { name: 'alone', include: alone, exclude: left } },
    ],
  },
});

function shared(name: string, folders: readonly string[]) {
  const include = [`test/{${folders.join(',')}}/**/*.test.ts`];
  return { extends: true as const, test: { name, include, exclude: [...left, ...alone], isolate: false } };
}
