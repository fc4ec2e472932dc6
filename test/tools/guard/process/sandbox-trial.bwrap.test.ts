import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BoundsError } from '../../../../src/tools/guard/process/bounds.ts';
import { newFolder } from '../../setting.ts';
import { realSandbox, sandboxSetting } from './sandbox-setting.ts';

test('a sandbox that fails later is not left out: the command does not run', async () => {
  const state = await realSandbox();
  const folder = await newFolder();
  await mkdir(join(folder, 'bin'));
  await symlink('/bin/false', join(folder, 'bin', 'bwrap'));
  const wrap = join(folder, 'bin', 'bwrap');
  for (const programs of [
    { ...state.programs, wrap },
    { ...state.programs, filter: join(folder, 'absent') },
  ]) {
    const { run, workspace } = await sandboxSetting({ sandbox: { holds: true, programs } });
    expect((await run('touch ran')).exitCode).not.toBe(0);
    expect(await readdir(workspace)).toEqual([]);
  }
  const { wrap: real, filter } = state.programs;
  const offline = await sandboxSetting({
    sandbox: { holds: true, programs: { wrap: real, filter } },
    allowedDomains: ['example.com'],
  });
  await expect(offline.run('touch ran')).rejects.toThrow(BoundsError);
});
