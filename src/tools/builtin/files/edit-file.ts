import { z } from 'zod';
import { escapeMarkdown, oneLine } from '../../../lib/plain-text.ts';
import type { Workspace, WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { orRefusal } from '../or-refusal.ts';
import { renderDiff } from './diff.ts';
import { exchange, type Found, find, numberOfPlaces, type Places } from './replacement.ts';
import { utf8Text } from './text-file.ts';

const input = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the workspace.'),
  old_text: z.string().min(1).describe('The text to replace, exactly as it stands in the file.'),
  new_text: z.string().describe('What to put in its place.'),
  replace_all: z.boolean().default(false).describe('Replace every place; else there must be only one.'),
});

type Arguments = z.output<typeof input>;

/** Replaces text in a file of the workspace. */
export function editFile({ workspaceAt }: { readonly workspaceAt: WorkspaceFactory }): Tool {
  return defineTool({
    name: 'edit_file',
    displayName: 'Edit file',
    category: 'filesystem_write',
    description:
      'Replaces a piece of text in a file in the workspace. Read the file first: old_text must match exactly, and only once unless replace_all is true.',
    input,
    describeCall: ({ path }) => `change ${nameForPeople(path)}`,
    preview: (args, { workspace }) => preview(args, workspaceAt(workspace)),
    execute: (args, { workspace }) =>
      orRefusal(async () => {
        const folder = workspaceAt(workspace);
        const { before, found } = await look(args, folder);
        if (found.type === 'impossible') return error(found.reason);
        await folder.write(args.path, exchange(before, found));
        return done(args.path, found);
      }),
  });
}

/** What the edit finds in the file as it is now. */
async function look(args: Arguments, folder: Workspace): Promise<{ readonly before: string; readonly found: Found }> {
  const before = utf8Text(await folder.read(args.path));
  if (before === undefined)
    throw new WorkspaceError(`${oneLine(args.path, 200)} is a binary file, so its text cannot be edited.`);
  const { old_text: oldText, new_text: newText, replace_all: replaceAll } = args;
  return { before, found: find(before, { oldText, newText, replaceAll }, folder.maxWrite) };
}

async function preview(args: Arguments, folder: Workspace): Promise<string> {
  try {
    const { before, found } = await look(args, folder);
    return found.type === 'found' ? renderDiff({ before, ...found }) : willFail(found.reason);
  } catch (cause) {
    if (cause instanceof WorkspaceError) return willFail(cause.message);
    throw cause;
  }
}

/** The reason holds the path, which the model chose. */
function willFail(reason: string): string {
  return `As the file is now, this will fail: ${escapeMarkdown(reason.split('\n')[0] ?? '')}`;
}

function done(path: string, found: Places): ToolOutput {
  const number = numberOfPlaces(found);
  return llmOnly(`Changed ${oneLine(path, 200)}${number === '1' ? '' : ` in ${number} places`}.`);
}
