import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { newFolder } from './support/new-folder.ts';

const root = join(import.meta.dirname, '..');
/** Counts its runs in a file, and fails in those that are named. */
const failsIn = (...runs: readonly number[]): string => `
  import { appendFileSync, readFileSync } from 'node:fs';
  const counted = import.meta.filename + '.runs';
  appendFileSync(counted, '.');
  describe('a promise', () => test('holds', () => expect(${JSON.stringify(runs)}).not.toContain(readFileSync(counted, 'utf8').length)));
`;

test('a test that fails once and holds twice alone is told as flaky, and the run passes', async () => {
  const { code, lines } = await runTests({ 'steady.test.js': failsIn(), 'unsteady.test.js': failsIn(1) });
  expect(lines).toContain('flaky: unsteady.test.js · a promise > holds');
  expect(lines.filter((line) => line.startsWith('flaky:'))).toHaveLength(1);
  expect(code).toBe(0);
});

test('an error that nothing caught is repeated too', async () => {
  const throws = (...runs: readonly number[]): string => `
    import { appendFileSync, readFileSync } from 'node:fs';
    const counted = import.meta.filename + '.runs';
    appendFileSync(counted, '.');
    test('holds', async () => {
      if (${JSON.stringify(runs)}.includes(readFileSync(counted, 'utf8').length)) setImmediate(() => { throw new Error('late'); });
      await new Promise((resolve) => setTimeout(resolve, 50));
    });`;
  const once = await runTests({ 'late.test.js': throws(1) });
  expect(once.lines).toContain('flaky: late.test.js · (an error that nothing caught, near holds)');
  expect(once.code).toBe(0);
  const twice = await runTests({ 'late.test.js': throws(1, 2) });
  expect(twice.lines).toContain('failed again: late.test.js');
  expect(twice.code).toBe(1);
});

test.for([
  ['at its first repetition', [1, 2]],
  ['at its second repetition', [1, 3]],
] as const)('a test that fails again %s fails the run', async ([, runs]) => {
  const { code, lines } = await runTests({ 'broken.test.js': failsIn(...runs) });
  expect(lines).toContain('failed again: broken.test.js');
  expect(lines.filter((line) => line.startsWith('flaky:'))).toEqual([]);
  expect(code).toBe(1);
});

test('more than five files that fail are not repeated', async () => {
  const files = Array.from({ length: 6 }, (_, index) => [`${index}.test.js`, failsIn(1)]);
  const { code, lines } = await runTests(Object.fromEntries(files));
  expect(lines.some((line) => line.startsWith('6 files failed, too many to repeat: '))).toBe(true);
  expect(code).toBe(1);
});

test('a file that cannot be loaded is repeated too, and a run without a failed file fails', async () => {
  const { code, lines } = await runTests({ 'unloaded.test.js': 'import "./missing.js";' });
  expect(lines).toContain('failed again: unloaded.test.js');
  expect(code).toBe(1);
  expect((await runTests({})).lines).toContain('The run failed, but no test file did: there is nothing to repeat.');
});

async function runTests(files: Readonly<Record<string, string>>): Promise<{ code: number | null; lines: string[] }> {
  const folder = await newFolder();
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const scripts = { test: `"${process.execPath}" "${vitest}" run --globals` };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts }));
  for (const [name, source] of Object.entries(files)) await writeFile(join(folder, name), source);
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [join(root, 'scripts/repeat-failed.ts'), 'test'], {
    cwd: folder,
    env: { PATH, HOME, TMPDIR, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const printed = await text(child.stdout);
  return { code: await closed, lines: printed.split('\n') };
}
