import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { machineWarnings } from '../../src/cli/greeting.ts';
import { newFolder } from '../support/new-folder.ts';

test('a workspace that others can enter is said at start, with or without a template below it', async () => {
  const above = await newFolder();
  const workspace = join(above, 'workspace');
  expect(machineWarnings(workspace, false)).toEqual([]);
  await mkdir(workspace, { mode: 0o755 });
  // It stands in a folder that they cannot enter.
  expect(machineWarnings(workspace, false)).toEqual([]);
  await chmod(above, 0o755);
  const said = [expect.stringContaining(`chmod 700 ${workspace}`)];
  expect(machineWarnings(workspace, false)).toEqual(said);
  expect(machineWarnings(`${workspace}/{channel}/{chat_id}`, false)).toEqual(said);
  await chmod(workspace, 0o700);
  expect(machineWarnings(workspace, false)).toEqual([]);
});

test('that the limit of processes does not hold for root is said at start', () => {
  expect(machineWarnings('/nowhere', true)).toEqual([expect.stringContaining('runs as root')]);
});
