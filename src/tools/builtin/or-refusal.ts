import { BoundsError } from '../guard/process/bounds.ts';
import { WorkspaceError } from '../guard/workspace/workspace-error.ts';
import { error, type ToolOutput } from '../output.ts';

/** The output of the work, or what the guards say against it. */
export async function orRefusal(work: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof WorkspaceError || cause instanceof BoundsError) return error(cause.message);
    throw cause;
  }
}
