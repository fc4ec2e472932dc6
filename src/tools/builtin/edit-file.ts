import { z } from 'zod';
import { oneLine } from '../../lib/plain-text.ts';
import type { WorkspaceFactory } from '../guard/workspace.ts';
import { WorkspaceError } from '../guard/workspace-error.ts';
import { error, llmOnly, type ToolOutput } from '../output.ts';
import { nameForPeople } from '../text.ts';
import { defineTool, type Tool } from '../tool.ts';
import { renderDiff } from './diff.ts';
import { type Replaced, replace } from './replacement.ts';
import { decodeText } from './text-file.ts';
import { orRefusal } from './workspace-output.ts';

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
    preview: (args, { workspace }) => preview(args, () => workspaceAt(workspace).read(args.path)),
    execute: (args, { workspace }) =>
      orRefusal(async () => {
        const folder = workspaceAt(workspace);
        const edited = edit(await folder.read(args.path), args).result;
        if (edited.type === 'impossible') return error(edited.reason);
        await folder.write(args.path, edited.text);
        return done(args.path, edited.places.length);
      }),
  });
}

/** What the edit makes of the file as it is now. */
function edit(bytes: Buffer, args: Arguments): { readonly before: string; readonly result: Replaced } {
  const before = decodeText(bytes);
  if (before === undefined)
    throw new WorkspaceError(`${oneLine(args.path, 200)} is a binary file, so its text cannot be edited.`);
  const { old_text: oldText, new_text: newText, replace_all: replaceAll } = args;
  return { before, result: replace(before, { oldText, newText, replaceAll }) };
}

async function preview(args: Arguments, read: () => Promise<Buffer>): Promise<string | undefined> {
  try {
    const { before, result } = edit(await read(), args);
    return result.type === 'replaced' ? renderDiff({ before, ...result }) : willFail(result.reason);
  } catch (cause) {
    if (cause instanceof WorkspaceError) return willFail(cause.message);
    throw cause;
  }
}

function willFail(reason: string): string {
  return `As the file is now, this will fail: ${reason.split('\n')[0]}`;
}

function done(path: string, places: number): ToolOutput {
  return llmOnly(`Changed ${oneLine(path, 200)}${places === 1 ? '' : ` in ${places} places`}.`);
}
