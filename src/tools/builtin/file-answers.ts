import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { z } from 'zod';
import type { BoundFiles } from '../category.ts';
import type { EntryType } from '../guard/workspace/tree.ts';
import type { Workspace } from '../guard/workspace/workspace.ts';
import { errorCode, WorkspaceError } from '../guard/workspace/workspace-error.ts';
import { formatSize, nameForPeople } from '../text.ts';

/** A folder as an argument; left out, it is the workspace. */
export function folderInput(description: string) {
  return z.string().min(1).default('.').describe(`${description} Default: the workspace itself.`);
}

export function folderForPeople(path: string): string {
  return path === '.' ? 'the workspace' : nameForPeople(path);
}

/** The text of a file, a byte order mark included; undefined if it is none: with a NUL, or no UTF-8. */
export function utf8Text(bytes: Buffer): string | undefined {
  return bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString('utf8');
}

/** Its lines without their ends and a byte order mark. A last line end begins no new line; an empty text has no line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/**
 * A file or folder in a list for the model: a folder ends with "/", a link with "@", a file has its size. The name has no
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

/** Where a path leads, if a link on the way leads it elsewhere than it says. */
export async function bindPath(workspace: Workspace, path: string): Promise<BoundFiles> {
  try {
    const real = await workspace.locate(path);
    const isPlain = real === posix.normalize(path) || path.startsWith('/');
    return { files: isPlain ? [] : [{ path, state: real, note: `leads to ${real}` }], areAll: true };
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    const isMissing = errorCode(cause.cause) === 'ENOENT';
    return { files: isMissing ? [] : [{ path, state: 'unusable', note: 'cannot be used' }], areAll: true };
  }
}

/** The longest pattern for names of files, in UTF-16 units. */
export const longestPattern = 500;

/** Less than what is kept of an output by default, in characters: a longer list is cut at a line, and the model told so. */
export const mostListed = 45_000;

/** Says which folders a walk does not look into: what tools made for themselves, and much of it. */
export const passedOverInWords = '.git, node_modules and .keyturn are passed over unless they are named';
