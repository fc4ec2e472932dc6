/**
 * Runs the tests of an npm script, and repeats each file that failed alone, twice, so that one unsteady test does not hold
 * up good work:
 *   node scripts/run.js scripts/repeat-failed.ts test
 *   node scripts/run.js scripts/repeat-failed.ts test:long
 * A file fails by its tests, or by an error that nothing caught. If all of them hold both times it exits with 0, and
 * prints `flaky: FILE · TEST` for each test to be mended next. Exits with 1 if a file fails again, if more than five
 * fail, or if the run failed without a failed file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';

/** So many at once are no accident. */
const mostFiles = 5;
const repeats = 2;

/** What `test/support/failed-files.ts` writes. A file without tests could not be loaded. */
const failedFiles = z.array(z.object({ path: z.string(), tests: z.array(z.string()) }));
type FailedFile = Readonly<z.infer<typeof failedFiles>[number]>;

const [script = 'test'] = process.argv.slice(2);
process.exitCode = runTwiceWhatFails();

function runTwiceWhatFails(): number {
  const failed = runAll();
  if (failed === undefined) return 0;
  const names = failed.map(({ path }) => path).join(', ');
  if (failed.length === 0) return say('The run failed, but no test file did: there is nothing to repeat.', 1);
  if (failed.length > mostFiles) return say(`${failed.length} files failed, too many to repeat: ${names}`, 1);
  for (const { path } of failed) {
    for (let time = 1; time <= repeats; time += 1) {
      say(`\nAlone, ${time} of ${repeats}: ${path}`, 0);
      if (runNpm([path]) !== 0) return say(`failed again: ${path}`, 1);
    }
  }
  for (const { path, tests } of failed) {
    for (const test of tests.length === 0 ? ['(loading the file)'] : tests) say(`flaky: ${path} · ${test}`, 0);
  }
  return 0;
}

/** What failed; undefined if all is well. */
function runAll(): readonly FailedFile[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-tests-'));
  const file = join(folder, 'failed.json');
  const reporters = [
    '--reporter=default',
    `--reporter=${join(import.meta.dirname, '../test/support/failed-files.ts')}`,
  ];
  try {
    if (runNpm(reporters, { ...process.env, KEYTURN_FAILED_FILES: file }) === 0) return undefined;
    return existsSync(file) ? readFailed(readFileSync(file, 'utf8')) : [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readFailed(text: string): readonly FailedFile[] {
  return failedFiles.parse(JSON.parse(text)).map(({ path, tests }) => ({ path: relative(process.cwd(), path), tests }));
}

function runNpm(args: readonly string[], env = process.env): number {
  return spawnSync('npm', ['run', script, '--', ...args], { stdio: 'inherit', env }).status ?? 1;
}

function say(line: string, code: number): number {
  process.stdout.write(`${line}\n`);
  return code;
}
