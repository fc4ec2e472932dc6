/**
 * For Vitest's `--reporter`: writes what failed to the file that `KEYTURN_FAILED_FILES` names, as an array of
 * `{ path, tests }` in JSON. An error that no test caught belongs to the file that ran when it was thrown.
 */
import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';
import { z } from 'zod';

const uncaught = z.object({ VITEST_TEST_PATH: z.string(), VITEST_TEST_NAME: z.string().optional() });

export default class FailedFiles implements Reporter {
  onTestRunEnd(...[modules, errors]: Parameters<Required<Reporter>['onTestRunEnd']>): void {
    const file = process.env.KEYTURN_FAILED_FILES;
    if (file === undefined) throw new Error('KEYTURN_FAILED_FILES names no file to write to.');
    const failed = new Map<string, string[]>();
    for (const module of modules) {
      if (module.ok()) continue;
      failed.set(
        module.moduleId,
        [...module.children.allTests('failed')].map(({ fullName }) => fullName),
      );
    }
    for (const error of errors) {
      const { data } = uncaught.safeParse(error);
      if (data === undefined) continue;
      const tests = failed.get(data.VITEST_TEST_PATH) ?? [];
      failed.set(data.VITEST_TEST_PATH, [
        ...tests,
        `(an error that nothing caught, near ${data.VITEST_TEST_NAME ?? 'its end'})`,
      ]);
    }
    writeFileSync(file, JSON.stringify([...failed].map(([path, tests]) => ({ path, tests: [...new Set(tests)] }))));
  }
}
