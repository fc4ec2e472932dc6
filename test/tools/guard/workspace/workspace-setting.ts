import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import { newFolder } from '../../../support/new-folder.ts';

/** A workspace, and beside it a folder that nobody in it may reach. */
export async function workspaceSetting(byHandle: boolean) {
  const folder = await newFolder();
  const root = join(folder, 'workspace');
  const outside = join(folder, 'outside');
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'secret');
  return { root, outside, workspace: workspaces({}, byHandle)(root) };
}
