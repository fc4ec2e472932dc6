import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('small changes of the engine, of the rules and of the store are noticed by the nearest tests', async () => {
  const cwd = join(import.meta.dirname, '..');
  const { PATH, HOME, TMPDIR } = process.env;
  const args = ['scripts/mutate.ts', '--count', '4'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: { PATH, HOME, TMPDIR } });
  expect(stdout).toContain('4 of 4 changes were noticed.');
});
