import type { WorkspaceFactory } from '../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../tools/guard/workspace/workspace-error.ts';

/** As many as somebody looks through. */
const mostNames = 2000;

/**
 * What is in a folder of a workspace, for people who begin to type a name: folders with a slash at the end. Empty if there is no
 * such folder, or if it is none of a workspace.
 */
export async function fileNamesIn(
  workspace: string,
  folder: string,
  { workspaceAt }: { readonly workspaceAt: WorkspaceFactory },
): Promise<readonly string[]> {
  try {
    const { entries } = await workspaceAt(workspace).list(folder, mostNames);
    return entries.map(({ name, type }) => (type === 'directory' ? `${name}/` : name));
  } catch (error) {
    if (error instanceof WorkspaceError) return [];
    throw error;
  }
}
