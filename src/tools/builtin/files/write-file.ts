import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { llmOnly } from '../../output.ts';
import { formatSize, nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { orRefusal } from '../or-refusal.ts';

/** Writes a text file of the workspace, whole. */
export function writeFile(dependencies: { readonly workspaceAt: WorkspaceFactory }): Tool {
  return defineTool({
    name: 'write_file',
    displayName: 'Write file',
    category: 'filesystem_write',
    description:
      'Creates a text file in the workspace, or replaces its whole content. To change a part of a file, use edit_file.',
    input: z.strictObject({
      path: z.string().min(1).describe('The file, relative to the workspace. Missing directories are made.'),
      content: z.string().describe('The whole new content.'),
    }),
    describeCall: ({ path, content }) => `write ${nameForPeople(path)} (${formatSize(Buffer.byteLength(content))})`,
    execute: ({ path, content }, { workspace }) =>
      orRefusal(async () => {
        const { created, size } = await dependencies.workspaceAt(workspace).write(path, content);
        return llmOnly(`${created ? 'Created' : 'Overwrote'} ${oneLine(path, 200)} (${formatSize(size)}).`);
      }),
  });
}
