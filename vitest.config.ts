import { defineConfig } from 'vitest/config';

/** Nothing keeps a state of its own in a module: these can share a process, and what they import is loaded once. */
const together = ['agent', 'approval', 'channels', 'config', 'conversation', 'lib', 'model', 'store', 'tools'];
/** What measures a process, or loads several versions of one HTTP client, has a process to itself. */
const alone = ['test/*.test.ts', 'test/{contracts,e2e,support-tests}/**/*.test.ts', 'test/**/memory*.test.ts'];
const long = 'test/**/*.long.test.ts';

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
          exclude: [long, ...alone],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: [long] } },
    ],
  },
});
