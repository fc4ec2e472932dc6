import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import type { DirectoryEntry, WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { llmOnly } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { orRefusal } from '../or-refusal.ts';
import { entryLine } from './entry-line.ts';

const mostEntries = 1000;

/** Lists a directory of the workspace. */
export function listDir(dependencies: { readonly workspaceAt: WorkspaceFactory }): Tool {
  return defineTool({
    name: 'list_dir',
    displayName: 'List directory',
    category: 'filesystem_read',
    description:
      'Lists a directory in the workspace, sorted by name: directories end with "/", links with "@", files have their size.',
    input: z.strictObject({
      path: z
        .string()
        .min(1)
        .default('.')
        .describe('The directory, relative to the workspace. Default: the workspace itself.'),
    }),
    describeCall: ({ path }) => `list ${path === '.' ? 'the workspace' : nameForPeople(path)}`,
    execute: ({ path }, { workspace }) =>
      orRefusal(async () => {
        const { entries, total } = await dependencies.workspaceAt(workspace).list(path, mostEntries);
        if (total === 0) return llmOnly(`[${oneLine(path, 200)} is empty]`);
        const more = total > mostEntries ? [`[the first ${mostEntries} of ${total} entries]`] : [];
        return llmOnly([...more, ...entries.map(describe)].join('\n'));
      }),
  });
}

function describe({ name, type, size }: DirectoryEntry): string {
  // A name may contain a line end: it must not look like two entries.
  return entryLine(oneLine(name, 300), type, size);
}
