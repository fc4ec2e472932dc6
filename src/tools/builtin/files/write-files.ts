import { z } from 'zod';
import { type CharsetText, isExact, readText, writeText } from '../../../lib/charset/text-charset.ts';
import { escapeMarkdown, oneLine } from '../../../lib/plain-text.ts';
import { pathInput } from '../../arguments.ts';
import type { Workspace, WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { error, llmOnly } from '../../output.ts';
import { formatSize, nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { bindPath, charsetWords } from '../file-answers.ts';
import { builtinWords } from '../words.ts';

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
    describeCall: ({ path, content }, { language }) =>
      builtinWords[language].write({ name: nameForPeople(path), bytes: Buffer.byteLength(content) }),
    facets: ({ path }) => ({ targets: [path] }),
    binds: ({ path }, { workspace }) => bindPath(workspaceAt(workspace), path),
    async execute({ path, content }, { workspace }) {
      const folder = workspaceAt(workspace);
      const old = await charsetAt(folder, path);
      const marked = old?.text.startsWith(mark) && !content.startsWith(mark) ? `${mark}${content}` : content;
      const bytes = encoded(marked, path, old?.charset ?? 'UTF-8');
      // What is only guessed forbids nothing.
      if (typeof bytes === 'string' && old?.isGuess === false) return error(bytes);
      const { created, size } = await folder.write(path, typeof bytes === 'string' ? content : bytes);
      const charset = old === undefined ? '' : typeof bytes === 'string' ? 'UTF-8' : charsetWords(old);
      const named = charset === '' ? '' : `, in ${charset}`;
      return llmOnly(`${created ? 'Created' : 'Overwrote'} ${oneLine(path, 200)} (${formatSize(size)}${named}).`);
    },
  });
}

/** The byte order mark. */
const mark = '\ufeff';

/** The text that is there; undefined if there is none, or none that can be read. */
async function charsetAt(folder: Workspace, path: string): Promise<CharsetText | undefined> {
  try {
    const bytes = await folder.read(path);
    const old = readText(bytes);
    return old !== undefined && isExact(bytes, old) ? old : undefined;
  } catch (cause) {
    if (cause instanceof WorkspaceError) return undefined;
    throw cause;
  }
}

/** The bytes of a text in the charset of the file, or why it cannot be written in that. */
function encoded(text: string, path: string, charset: string): Buffer | string {
  if (charset === 'UTF-8') return Buffer.from(text);
  const bytes = writeText(text, charset);
  if (Buffer.isBuffer(bytes)) return bytes;
  const code = bytes.impossible.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
  return `${oneLine(path, 200)} is in ${charset}, which has no "${oneLine(bytes.impossible, 8)}" (U+${code}). Nothing was changed. Write it without that character, or write all of the text to a new file, which will be UTF-8.`;
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
    describeCall: ({ path }, { language }) => builtinWords[language].change(nameForPeople(path)),
    facets: ({ path }) => ({ targets: [path] }),
    binds: ({ path }, { workspace }) => bindPath(workspaceAt(workspace), path),
    async preview(args, { workspace }) {
      // The reason contains the path, which the model chose.
      const willFail = (reason: string): string =>
        `As the file is now, this will fail: ${escapeMarkdown(reason.split('\n')[0] ?? '')}`;
      try {
        const { before, found, bytes } = await look(args, workspaceAt(workspace));
        if (typeof bytes === 'string') return willFail(bytes);
        if (found.type === 'impossible') return willFail(found.reason);
        const { longestShown, renderDiff } = await import('./edit.ts');
        return before.length > longestShown ? undefined : renderDiff(before, found);
      } catch (cause) {
        if (cause instanceof WorkspaceError) return willFail(cause.message);
        throw cause;
      }
    },
    async execute(args, { workspace }) {
      const folder = workspaceAt(workspace);
      const { found, bytes, charset } = await look(args, folder);
      if (found.type === 'impossible') return error(found.reason);
      if (typeof bytes === 'string') return error(bytes);
      await folder.write(args.path, bytes);
      const { count } = found;
      const written = charset === '' ? '' : ` (its charset is ${charset})`;
      return llmOnly(`Changed ${oneLine(args.path, 200)}${count === 1 ? '' : ` in ${count} places`}${written}.`);
    },
  });
}

/** The edit as the file is now: its text, what is found in it, and the bytes of the new text or why there are none. */
async function look(args: Edit, folder: Workspace) {
  const { exchange, find } = await import('./edit.ts');
  const old = await folder.read(args.path);
  const read = readText(old);
  const name = oneLine(args.path, 200);
  if (read === undefined) throw new WorkspaceError(`${name} is a binary file, so its text cannot be edited.`);
  if (!isExact(old, read))
    throw new WorkspaceError(
      `${name} seems to be in ${read.charset}, but cannot be written back byte for byte, so it can be read and not edited.`,
    );
  const { old_text: oldText, new_text: newText, replace_all: replaceAll } = args;
  const found = find(read.text, { oldText, newText, replaceAll }, folder.maxWrite);
  const bytes = found.type === 'found' ? encoded(exchange(read.text, found), args.path, read.charset) : Buffer.alloc(0);
  return { before: read.text, found, bytes, charset: charsetWords(read) };
}
