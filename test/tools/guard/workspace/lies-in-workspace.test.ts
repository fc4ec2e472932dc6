import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { liesInWorkspace } from '../../../../src/tools/guard/workspace/lies-in-workspace.ts';

test('a folder whose name begins with two dots is in the workspace of that name', async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'keyturn-')));
  const template = join(base, '{chat}/work');
  expect(await liesInWorkspace(join(base, '..x/work/plugin'), template)).toBe(true);
  expect(await liesInWorkspace(join(base, '../x/work/plugin'), template)).toBe(false);
});
