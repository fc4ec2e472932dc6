import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { formatSize, nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { decodeText, linesOf } from './text-file.ts';
import { orRefusal } from './workspace-output.ts';

/** Less than what a runner keeps of an output, so that a long file is cut at a line, and the model told where to go on. */
const mostCharacters = 45_000;

const input = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the workspace.'),
  offset: z.number().int().min(1).default(1).describe('The first line to read, counted from 1.'),
  limit: z.number().int().min(1).optional().describe('How many lines to read at most. Default: as many as fit.'),
});

/** Reads a text file of the workspace. */
export function readFile(dependencies: { readonly workspaceAt: WorkspaceFactory }): Tool {
  return defineTool({
    name: 'read_file',
    displayName: 'Read file',
    category: 'filesystem_read',
    description:
      'Reads a text file in the workspace. The first line of the result says which lines follow; long files come in parts, by offset and limit.',
    input,
    describeCall: ({ path }) => `read ${nameForPeople(path)}`,
    execute: (args, { workspace }) =>
      orRefusal(async () => {
        const bytes = await dependencies.workspaceAt(workspace).read(args.path);
        const text = decodeText(bytes);
        if (text === undefined) {
          return error(
            `${oneLine(args.path, 200)} is a binary file of ${formatSize(bytes.length)}, so it cannot be read as text.`,
          );
        }
        return excerpt(linesOf(text.replace(/^\ufeff/, '')), args);
      }),
  });
}

function excerpt(lines: readonly string[], { path, offset, limit }: z.output<typeof input>): ToolOutput {
  const name = oneLine(path, 200);
  if (lines.length === 0) return llmOnly(`[${name} is empty]`);
  if (offset > lines.length) return error(`${name} has only ${lines.length} lines, so there is no line ${offset}.`);
  const asked = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const shown = asked.slice(0, Math.max(1, countFitting(asked)));
  const last = offset + shown.length - 1;
  const more = last < lines.length ? `; to go on, use offset ${last + 1}` : '';
  return llmOnly(`[${name}: lines ${offset} to ${last} of ${lines.length}${more}]\n${shown.join('\n')}`);
}

function countFitting(lines: readonly string[]): number {
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length > mostCharacters) return index;
  }
  return lines.length;
}
