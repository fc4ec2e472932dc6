import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Workspace } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';

/**
 * The real path of a folder of the workspace, or of the workspace itself, which is made if it is missing. Throws
 * `WorkspaceError` where there is no such folder, or it leads out.
 */
export async function innerFolder(workspace: Workspace, root: string, folder = '.'): Promise<string> {
  await workspace.prepare();
  if (folder === '.') return root;
  await workspace.list(folder, 0);
  const path = await realpath(join(root, folder));
  if (path === root || path.startsWith(`${root}${sep}`)) return path;
  throw new WorkspaceError(`The folder "${folder}" of this tool leads out of the workspace.`);
}
