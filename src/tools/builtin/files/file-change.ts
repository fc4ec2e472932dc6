import type { JsonObject } from '../../../lib/json.ts';
import type { Workspace } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { exchange } from './edit.ts';
import { charsetAt, editing, lookAtEdit } from './write-files.ts';

/** What a call would make of a file, as it is now. */
export interface FileChange {
  readonly path: string;
  /** Undefined: there is no such file, or it holds no text. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Longer texts are not compared, in characters. */
const longestCompared = 1_000_000;

/** Of a call of the builtin tool of that name. Undefined if it changes no file, cannot be done, or is too long to be compared. */
export async function fileChangeOf(
  toolName: string,
  args: JsonObject,
  folder: Workspace,
): Promise<FileChange | undefined> {
  const change = await changeOf(toolName, args, folder).catch((cause: unknown) => {
    if (cause instanceof WorkspaceError) return undefined;
    throw cause;
  });
  const isShort = change !== undefined && (change.before ?? '').length + change.after.length <= longestCompared;
  return isShort ? change : undefined;
}

async function changeOf(toolName: string, args: JsonObject, folder: Workspace): Promise<FileChange | undefined> {
  switch (toolName) {
    case 'write_file': {
      const { path, content } = args;
      if (typeof path !== 'string' || typeof content !== 'string') return undefined;
      return { path, before: (await charsetAt(folder, path))?.text, after: content };
    }
    case 'edit_file': {
      const read = editing.safeParse(args);
      const edit = read.success ? await lookAtEdit(read.data, folder) : undefined;
      if (!read.success || edit?.type !== 'possible') return undefined;
      return { path: read.data.path, before: edit.before, after: exchange(edit.before, edit.found) };
    }
  }
  return undefined;
}
