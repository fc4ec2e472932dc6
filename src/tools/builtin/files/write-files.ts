import { z } from 'zod';
import { type CharsetText, isExact, readText, writeText } from '../../../lib/charset/text-charset.ts';
import { escapeMarkdown, oneLine } from '../../../lib/plain-text.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { pathInput } from '../../arguments.ts';
import type { Workspace, WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { fileTarget } from '../../rule-target.ts';
import { formatSize, nameForPeople } from '../../text.ts';
import { defineBuiltin, type Tool } from '../../tool.ts';
import { bindPath, charsetWords } from '../file-answers.ts';
import { builtinWords } from '../words.ts';
import type { FoundText, ImpossibleEdit } from './edit.ts';
import { type EditFault, fileWords } from './words.ts';

export function writeFile(workspaceAt: WorkspaceFactory): Tool {
  return defineBuiltin({
    name: 'write_file',
    displayName: (language) => builtinWords[language].names.write_file,
    category: 'filesystem_write',
    description:
      'Creates a text file in the workspace, or replaces its whole content. To change a part of a file, use edit_file.',
    input: z.strictObject({
      path: pathInput('The file, relative to the workspace. Missing directories are made.'),
      content: z.string().describe('The whole new content.'),
    }),
    describeCall:
      ({ path, content }) =>
      (language) =>
        builtinWords[language].write({ name: nameForPeople(path), bytes: Buffer.byteLength(content) }),
    facets: ({ path }) => ({ targets: [path], writes: [path] }),
    binds: ({ path }, { workspace }) => bindPath(workspaceAt(workspace), path),
    ruleTarget: ({ path }, { workspace }) => fileTarget(workspaceAt(workspace), path),
    preview: ({ path, content }, { workspace }) => previewWhole(path, content, workspaceAt(workspace)),
    execute: ({ path, content }, { workspace }) => writeWhole(path, content, workspaceAt(workspace)),
  });
}

async function writeWhole(path: string, content: string, folder: Workspace): Promise<ToolOutput> {
  const name = oneLine(path, 200);
  const old = await charsetAt(folder, path);
  const marked = old?.text.startsWith(mark) && !content.startsWith(mark) ? `${mark}${content}` : content;
  const bytes = encoded(marked, old?.charset ?? 'UTF-8');
  const isWritable = Buffer.isBuffer(bytes);
  // What is only guessed forbids nothing.
  if (!isWritable && old?.isGuess === false) return error(noCharacter(bytes, name, old.charset));
  const { created, size } = await folder.write(path, isWritable ? bytes : content);
  const charset = old === undefined ? '' : isWritable ? charsetWords(old) : 'UTF-8';
  const named = charset === '' ? '' : `, in ${charset}`;
  const did: InLanguage = (language) => builtinWords[language].wrote({ name: nameForPeople(path), bytes: size });
  return { ...llmOnly(`${created ? 'Created' : 'Overwrote'} ${name} (${formatSize(size)}${named}).`), did };
}

/** What changes in the file. Of one that holds no text, and of what cannot be written, only the new content. */
async function previewWhole(path: string, content: string, folder: Workspace): Promise<InLanguage> {
  const { longestShown, renderWhole } = await import('./edit.ts');
  const old = await charsetAt(folder, path);
  const before = old === undefined || old.text.length > longestShown ? undefined : old.text;
  return (language) => (before === content ? fileWords[language].sameContent : renderWhole(before, content, language));
}

/** The byte order mark. */
const mark = '\ufeff';

/** The text that is there; undefined if there is none, or none that can be read. */
export async function charsetAt(folder: Workspace, path: string): Promise<CharsetText | undefined> {
  try {
    const bytes = await folder.read(path);
    const old = readText(bytes);
    return old !== undefined && isExact(bytes, old) ? old : undefined;
  } catch (cause) {
    if (cause instanceof WorkspaceError) return undefined;
    throw cause;
  }
}

/** The bytes of a text in the charset of the file, or the first character that the charset does not have. */
function encoded(text: string, charset: string): Buffer | Unwritable {
  return charset === 'UTF-8' ? Buffer.from(text) : writeText(text, charset);
}

interface Unwritable {
  readonly impossible: string;
}

/** Why a text cannot be written, for the model. */
function noCharacter({ impossible }: Unwritable, name: string, charset: string): string {
  const code = impossible.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
  return `${name} is in ${charset}, which has no "${oneLine(impossible, 8)}" (U+${code}). Nothing was changed. Write it without that character, or write all of the text to a new file, which will be UTF-8.`;
}

/** The arguments of an edit. */
export const editing = z.strictObject({
  path: pathInput('The file, relative to the workspace.'),
  old_text: z.string().min(1).describe('The text to replace, exactly as it stands in the file.'),
  new_text: z.string().describe('What to put in its place.'),
  replace_all: z.boolean().default(false).describe('Replace every place; else there must be only one.'),
});

type Edit = z.output<typeof editing>;

export function editFile(workspaceAt: WorkspaceFactory): Tool {
  return defineBuiltin({
    name: 'edit_file',
    displayName: (language) => builtinWords[language].names.edit_file,
    category: 'filesystem_write',
    description:
      'Replaces a piece of text in a file in the workspace. Read the file first: old_text must match exactly, and only once unless replace_all is true.',
    input: editing,
    describeCall:
      ({ path }) =>
      (language) =>
        builtinWords[language].change(nameForPeople(path)),
    facets: ({ path }) => ({ targets: [path], writes: [path] }),
    binds: ({ path }, { workspace }) => bindPath(workspaceAt(workspace), path),
    ruleTarget: ({ path }, { workspace }) => fileTarget(workspaceAt(workspace), path),
    preview: (args, { workspace }) => previewEdit(args, workspaceAt(workspace)),
    execute: (args, { workspace }) => carryOutEdit(args, workspaceAt(workspace)),
  });
}

async function previewEdit(args: Edit, folder: Workspace): Promise<InLanguage | undefined> {
  try {
    const edit = await lookAtEdit(args, folder);
    if (edit.type === 'impossible') return willFail(edit.fault);
    const { longestShown, renderDiff } = await import('./edit.ts');
    const { before, found } = edit;
    return before.length > longestShown ? undefined : (language) => renderDiff(before, found, language);
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    // The reason contains the path, which the model chose.
    return (language) => {
      const [reason = ''] = cause.saidIn(language).split('\n');
      return fileWords[language].willFail({ why: 'refused', reason: escapeMarkdown(reason) });
    };
  }
}

function willFail(fault: EditFault): InLanguage {
  return (language) => fileWords[language].willFail(fault);
}

async function carryOutEdit(args: Edit, folder: Workspace): Promise<ToolOutput> {
  const edit = await lookAtEdit(args, folder);
  if (edit.type === 'impossible') return error(edit.reason);
  await folder.write(args.path, edit.bytes);
  const { found, charset } = edit;
  const places = found.count === 1 ? '' : ` in ${found.count} places`;
  const written = charset === '' ? '' : ` (its charset is ${charset})`;
  const did: InLanguage = (language) =>
    builtinWords[language].changed({ name: nameForPeople(args.path), places: found.count });
  return { ...llmOnly(`Changed ${oneLine(args.path, 200)}${places}${written}.`), did };
}

/** An edit that can be done: what it finds in which text, and the bytes of the new text. */
interface PossibleEdit {
  readonly type: 'possible';
  readonly before: string;
  readonly found: Exclude<FoundText, ImpossibleEdit>;
  readonly bytes: Buffer;
  /** In words; empty for UTF-8. */
  readonly charset: string;
}

/** The edit as the file is now. Throws `WorkspaceError` if the file cannot be read. */
export async function lookAtEdit(args: Edit, folder: Workspace): Promise<PossibleEdit | ImpossibleEdit> {
  const { exchange, find, impossible } = await import('./edit.ts');
  const old = await folder.read(args.path);
  const read = readText(old);
  const name = oneLine(args.path, 200);
  if (read === undefined)
    return impossible(`${name} is a binary file, so its text cannot be edited.`, { why: 'binary' });
  const { charset } = read;
  if (!isExact(old, read)) {
    const reason = `${name} seems to be in ${charset}, but cannot be written back byte for byte, so it can be read and not edited.`;
    return impossible(reason, { why: 'inexact', charset });
  }
  const { old_text: oldText, new_text: newText, replace_all: replaceAll } = args;
  const found = find(read.text, { oldText, newText, replaceAll }, folder.maxWrite);
  if (found.type === 'impossible') return found;
  const bytes = encoded(exchange(read.text, found), charset);
  if (!Buffer.isBuffer(bytes)) {
    const character = oneLine(bytes.impossible, 8);
    return impossible(noCharacter(bytes, name, charset), { why: 'unwritable', charset, character });
  }
  return { type: 'possible', before: read.text, found, bytes, charset: charsetWords(read) };
}
