import { posix } from 'node:path';
import { z } from 'zod';
import type { CharsetText } from '../../lib/charset/text-charset.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { InLanguage } from '../../lib/words.ts';
import type { WorkerEnding } from '../guard/worker/run-in-worker.ts';
import type { EntryType, Workspace } from '../guard/workspace/workspace.ts';
import { errorCode, WorkspaceError } from '../guard/workspace/workspace-error.ts';
import { formatSize, nameForPeople } from '../text.ts';
import type { BoundFiles } from '../tool.ts';
import { toolsWords } from '../words.ts';

/** A folder argument; the default is the workspace. */
export function folderInput(description: string) {
  return z.string().min(1).default('.').describe(`${description} Default: the workspace itself.`);
}

/** Undefined for the workspace itself. */
export function folderForPeople(path: string): string | undefined {
  return path === '.' ? undefined : nameForPeople(path);
}

/** Which charset a file is in, for the model; empty for UTF-8: `GBK`, `probably Big5`. */
export function charsetWords({ charset, isGuess }: Pick<CharsetText, 'charset' | 'isGuess'>): string {
  if (charset === 'UTF-8') return '';
  return isGuess ? `probably ${charset}` : charset;
}

/** The lines without line ends and byte order mark. A final line end starts no line; an empty text has no lines. */
export function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/**
 * A list entry for the model: a folder ends with "/", a link with "@", a file has its size. The name must not have a
 * line end, which would look like two entries. `size`: in bytes.
 */
export function entryLine(shownName: string, type: EntryType, size: number): string {
  switch (type) {
    case 'directory':
      return `${shownName}/`;
    case 'link':
      return `${shownName}@`;
    case 'file':
      return `${shownName}  ${formatSize(size)}`;
    case 'other':
      return `${shownName}  (device, pipe or socket)`;
  }
}

/** Binds a path to its real target, if a link on the way leads elsewhere. */
export async function bindPath(workspace: Workspace, path: string): Promise<BoundFiles> {
  try {
    const real = await workspace.locate(path);
    const isPlain = real === posix.normalize(path) || path.startsWith('/');
    const leadsTo: InLanguage = (language) => toolsWords[language].leadsTo(real);
    return { files: isPlain ? [] : [{ path, state: real, note: leadsTo }], areAll: true };
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    const isMissing = errorCode(cause.cause) === 'ENOENT';
    const unusable: InLanguage = (language) => toolsWords[language].unusable;
    return { files: isMissing ? [] : [{ path, state: 'unusable', note: unusable }], areAll: true };
  }
}

/** Why work in a worker has no result: "The search was given up: …". */
export function unfinishedWords(what: string, ending: UnfinishedWork, seconds: number): string {
  switch (ending.type) {
    case 'timed-out':
      return `${what} was given up: it took longer than ${seconds} s.`;
    case 'out-of-memory':
      return `${what} was given up: it takes too much memory.`;
    case 'stopped':
      return `${what} was stopped.`;
    case 'failed':
      return `${what} failed (${oneLine(ending.message, 200)}).`;
  }
}

type UnfinishedWork = Exclude<WorkerEnding<unknown>, { readonly type: 'done' }>;

/** The longest pattern for file names, in UTF-16 units. */
export const longestPattern = 500;

/** Less than the default limit of an output, in characters: a longer list is cut at a line, and says so. */
export const mostListed = 45_000;

/** Which folders a walk skips: those that tools fill for themselves. */
export const passedOverInWords = '.git, node_modules and .keyturn are passed over unless they are named';
