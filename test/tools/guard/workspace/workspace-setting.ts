import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Workspace, workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import { newFolder } from '../../setting.ts';

export interface WorkspaceSetting {
  readonly root: string;
  readonly outside: string;
  readonly workspace: Workspace;
}

/** A workspace, and beside it a folder that nobody in it may reach. */
export async function workspaceSetting(byHandle: boolean): Promise<WorkspaceSetting> {
  const folder = await newFolder();
  const root = join(folder, 'workspace');
  const outside = join(folder, 'outside');
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'secret');
  return { root, outside, workspace: workspaces({}, byHandle)(root) };
}
