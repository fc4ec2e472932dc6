import { defineConfig } from 'vitest/config';
import { trySandbox } from './src/tools/guard/process/sandbox-trial.ts';

/** Nothing keeps a state of its own in a module: these can share a process, and what they import is loaded once. */
const together = ['agent', 'approval', 'channels', 'config', 'conversation', 'lib', 'model', 'store', 'tools'];
/** What measures a process, or loads several versions of one HTTP client, has a process to itself. */
const alone = ['test/*.test.ts', 'test/{contracts,e2e,support-tests}/**/*.test.ts', 'test/**/memory*.test.ts'];
const long = 'test/**/*.long.test.ts';

/** What commands are kept from in a real sandbox can be seen only where there is one. What holds elsewhere is tested everywhere. */
const sandbox = await trySandbox({ environment: process.env, needsNetwork: true });
if (!sandbox.holds) process.stderr.write(`The tests of the sandbox are not among these: ${sandbox.reason}.\n`);
const left = [long, ...(sandbox.holds ? [] : ['test/**/*.bwrap.test.ts'])];

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: [`test/{${together.join(',')}}/**/*.test.ts`],
          exclude: [...left, ...alone],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: left } },
    ],
  },
});
