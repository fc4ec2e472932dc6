import { z } from 'zod';
import { escapeMarkdown, oneLine } from '../../../lib/plain-text.ts';
import { pathInput } from '../../arguments.ts';
import type { Workspace, WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { error, llmOnly } from '../../output.ts';
import { formatSize, nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { bindPath, utf8Text } from '../file-answers.ts';

export function writeFile(workspaceAt: WorkspaceFactory): Tool {
  return defineTool({
    name: 'write_file',
    displayName: 'Write file',
    category: 'filesystem_write',
    description:
      'Creates a text file in the workspace, or replaces its whole content. To change a part of a file, use edit_file.',
    input: z.strictObject({
      path: pathInput('The file, relative to the workspace. Missing directories are made.'),
      content: z.string().describe('The whole new content.'),
    }),
    describeCall: ({ path, content }) => `write ${nameForPeople(path)} (${formatSize(Buffer.byteLength(content))})`,
    facets: ({ path }) => ({ targets: [path] }),
    binds: ({ path }, { workspace }) => bindPath(workspaceAt(workspace), path),
    async execute({ path, content }, { workspace }) {
      const { created, size } = await workspaceAt(workspace).write(path, content);
      return llmOnly(`${created ? 'Created' : 'Overwrote'} ${oneLine(path, 200)} (${formatSize(size)}).`);
    },
  });
}

const editing = z.strictObject({
  path: pathInput('The file, relative to the workspace.'),
  old_text: z.string().min(1).describe('The text to replace, exactly as it stands in the file.'),
  new_text: z.string().describe('What to put in its place.'),
  replace_all: z.boolean().default(false).describe('Replace every place; else there must be only one.'),
});

type Edit = z.output<typeof editing>;

export function editFile(workspaceAt: WorkspaceFactory): Tool {
  return defineTool({
    name: 'edit_file',
    displayName: 'Edit file',
    category: 'filesystem_write',
    description:
      'Replaces a piece of text in a file in the workspace. Read the file first: old_text must match exactly, and only once unless replace_all is true.',
    input: editing,
    describeCall: ({ path }) => `change ${nameForPeople(path)}`,
    facets: ({ path }) => ({ targets: [path] }),
    binds: ({ path }, { workspace }) => bindPath(workspaceAt(workspace), path),
    async preview(args, { workspace }) {
      // The reason contains the path, which the model chose.
      const willFail = (reason: string): string =>
        `As the file is now, this will fail: ${escapeMarkdown(reason.split('\n')[0] ?? '')}`;
      try {
        const { before, found } = await look(args, workspaceAt(workspace));
        if (found.type === 'impossible') return willFail(found.reason);
        const { longestShown, renderDiff } = await import('./edit.ts');
        return before.length > longestShown ? undefined : renderDiff(before, found);
      } catch (cause) {
        if (cause instanceof WorkspaceError) return willFail(cause.message);
        throw cause;
      }
    },
    async execute(args, { workspace }) {
      const { exchange } = await import('./edit.ts');
      const folder = workspaceAt(workspace);
      const { before, found } = await look(args, folder);
      if (found.type === 'impossible') return error(found.reason);
      await folder.write(args.path, exchange(before, found));
      const { count } = found;
      return llmOnly(`Changed ${oneLine(args.path, 200)}${count === 1 ? '' : ` in ${count} places`}.`);
    },
  });
}

async function look(args: Edit, folder: Workspace) {
  const { find } = await import('./edit.ts');
  const before = utf8Text(await folder.read(args.path));
  if (before === undefined)
    throw new WorkspaceError(`${oneLine(args.path, 200)} is a binary file, so its text cannot be edited.`);
  const { old_text: oldText, new_text: newText, replace_all: replaceAll } = args;
  return { before, found: find(before, { oldText, newText, replaceAll }, folder.maxWrite) };
}
