import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import { imageTypeOf } from '../../../lib/recognise-image.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { formatSize, nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { orRefusal } from '../or-refusal.ts';
import { linesOf, utf8Text } from './text-file.ts';

export interface ReadFileSettings {
  /** What a runner lets through of an output, in characters. A part of a file is shorter than that. */
  readonly maxChars: number;
}

export interface ReadFileDependencies {
  readonly workspaceAt: WorkspaceFactory;
  readonly settings: ReadFileSettings;
}

const input = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the workspace.'),
  offset: z.number().int().min(1).default(1).describe('The first line to read, counted from 1.'),
  limit: z.number().int().min(1).optional().describe('How many lines to read at most. Default: as many as fit.'),
  column: z
    .number()
    .int()
    .min(1)
    .default(1)
    .describe('Where to begin in a line that is too long for one result, in characters, counted from 1.'),
});

/** Reads a text file of the workspace, and shows a picture to a model that sees. */
export function readFile({ workspaceAt, settings }: ReadFileDependencies): Tool {
  return defineTool({
    name: 'read_file',
    displayName: 'Read file',
    category: 'filesystem_read',
    description:
      'Reads a text file in the workspace, or looks at a picture (JPEG, PNG, GIF, WebP). The first line of the result says which lines follow; long files come in parts, by offset and limit.',
    input,
    describeCall: ({ path }) => `read ${nameForPeople(path)}`,
    execute: (args, { workspace }) =>
      orRefusal(async () => {
        const bytes = await workspaceAt(workspace).read(args.path);
        const text = utf8Text(bytes);
        if (text === undefined) return notText(args.path, bytes);
        return excerpt(linesOf(text), args, settings);
      }),
  });
}

function notText(path: string, bytes: Buffer): ToolOutput {
  const name = oneLine(path, 200);
  const size = formatSize(bytes.length);
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) return error(`${name} is a binary file of ${size}, so it cannot be read as text.`);
  return { ...llmOnly(`[${name} is a picture: ${mediaType}, ${size}]`), pictures: [{ path }] };
}

type Arguments = z.output<typeof input>;

function excerpt(lines: readonly string[], args: Arguments, { maxChars }: ReadFileSettings): ToolOutput {
  const { path, offset, limit, column } = args;
  const name = oneLine(path, Math.min(200, maxChars / 4));
  if (lines.length === 0) return llmOnly(`[${name} is empty]`);
  if (offset > lines.length) return error(`${name} has only ${lines.length} lines, so there is no line ${offset}.`);
  const room = Math.floor(maxChars * 0.9) - name.length - longestHead;
  const asked = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const count = column > 1 ? 0 : countFitting(asked, room);
  if (count === 0) return excerptOfLine(lines, args, { name, room });
  const last = offset + count - 1;
  const more = last < lines.length ? `; to go on, use offset ${last + 1}` : '';
  const head = `[${name}: lines ${offset} to ${last} of ${lines.length}${more}]`;
  return llmOnly(`${head}\n${asked.slice(0, count).join('\n')}`);
}

/** What the first line of a result says beside the name. */
const longestHead = 100;

function excerptOfLine(
  lines: readonly string[],
  { offset, column }: Arguments,
  { name, room }: { readonly name: string; readonly room: number },
): ToolOutput {
  const line = lines[offset - 1] ?? '';
  if (column > line.length)
    return error(`Line ${offset} of ${name} has only ${line.length} characters, so there is no column ${column}.`);
  const end = endWithin(line, column - 1 + room);
  const next = offset < lines.length ? `; to go on, use offset ${offset + 1}` : '';
  const more = end < line.length ? `; to go on, use offset ${offset} and column ${end + 1}` : next;
  const head = `[${name}: line ${offset} of ${lines.length}, characters ${column} to ${end} of ${line.length}${more}]`;
  return llmOnly(`${head}\n${line.slice(column - 1, end)}`);
}

/** At most there, and not in the middle of a character. */
function endWithin(line: string, end: number): number {
  if (end >= line.length) return line.length;
  return /[\ud800-\udbff]/.test(line.charAt(end - 1)) ? end - 1 : end;
}

function countFitting(lines: readonly string[], room: number): number {
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length > room) return index;
  }
  return lines.length;
}
