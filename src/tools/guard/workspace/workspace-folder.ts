import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Conversation } from '../../../contract.ts';
import { contains, realPathOf } from './place.ts';
import { unless } from './workspace-error.ts';

/** The workspace folder can't be used. The message says which, and why. */
export class WorkspaceFolderError extends Error {
  override readonly name = 'WorkspaceFolderError';
}

/** The folder of a conversation. `sender`: the person that a run serves there (`telegram:123456`). */
type WorkspaceOf = (conversation: Conversation, sender?: string) => string;

/**
 * Finds the folder of a conversation's tools, and creates it if it is missing. The template is an absolute path that
 * may contain `{channel}`, `{chat_id}`, `{thread_id}` and `{sender}`, the person that a run serves. Only its owner can
 * enter a new folder. Returns a path without symlinks, always the same: a folder that was swapped for a link is
 * refused. Throws `WorkspaceFolderError`.
 */
export function workspaceFinder(template: string | (() => string)): WorkspaceOf {
  const known = new Map<string, string>();
  return (conversation, sender) => {
    const folder = fill(typeof template === 'string' ? template : template(), conversation, sender);
    const real = openFolder(folder);
    const before = known.get(folder) ?? real;
    if (before !== real)
      throw new WorkspaceFolderError(
        `The workspace ${folder} has been exchanged: it leads to ${real} now, and led to ${before}. Restart Keyturn if that is meant.`,
      );
    known.set(folder, real);
    return real;
  };
}

/** The existing folders of the template: see `workspaceFinder`. */
export async function workspacesOf(template: string): Promise<readonly string[]> {
  const [first = '', ...names] = template.split(sep);
  let folders: readonly string[] = [`${first}${sep}`];
  for (const name of names) {
    const isPattern = name.includes('{');
    const inside = folders.map(async (folder) => (isPattern ? await foldersIn(folder) : [join(folder, name)]));
    folders = (await Promise.all(inside)).flat();
  }
  return folders;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await unless(['ENOENT', 'ENOTDIR', 'EACCES'], readdir(folder, { withFileTypes: true }));
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

/**
 * Whether a folder, an absolute path without links, is in a workspace or contains one. The template is an absolute path
 * with placeholders such as `{channel}`.
 */
export async function liesInWorkspace(folder: string, template: string): Promise<boolean> {
  const [fixed = '', ...variable] = template.split(/\{[^}]*\}/);
  if (variable.length === 0) {
    const workspace = await realPathOf(fixed);
    return contains(workspace, folder) || contains(folder, workspace);
  }
  // A name that begins with fixed text may have any end, so only the folders above it are known.
  const above = dirname(`${fixed}x`);
  const real = await realPathOf(above);
  if (contains(folder, real)) return true;
  const literally = (text: string): string => text.replaceAll(/[^\w/]/g, '\\$&');
  const rest = [fixed.slice(above.length).replace(/^\//, ''), ...variable].map(literally).join('[^/]*');
  return contains(real, folder) && new RegExp(`^${rest}(?:/|$)`).test(relative(real, folder));
}

function openFolder(folder: string): string {
  try {
    makeFolder(folder);
    return realpathSync.native(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WorkspaceFolderError(
      `The workspace ${folder} cannot be used: ${reason}. It has to be a folder that this user may write to.`,
      { cause: error },
    );
  }
}

function fill(template: string, { channel, tenant, chatId, threadId }: Conversation, sender = 'nobody'): string {
  const chat = tenant === undefined ? asFolder(chatId) : `${asFolder(tenant)}+${asFolder(chatId)}`;
  return template
    .replaceAll('{channel}', () => asFolder(channel))
    .replaceAll('{chat_id}', () => chat)
    .replaceAll('{thread_id}', () => asFolder(threadId ?? 'main'))
    .replaceAll('{sender}', () => asFolder(sender));
}

/** Platform ids may contain anything: each becomes one folder name, different from any other. */
function asFolder(id: string): string {
  const safe = encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');
  if (safe === '') return '+';
  if (safe.length <= longestName && id.isWellFormed()) return safe;
  const digest = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex');
  return `${safe.slice(0, longestName)}+${digest.slice(0, 32)}`;
}

/** File systems allow 255 bytes. */
const longestName = 80;

/**
 * Makes a folder and its missing parents, for this user only. Throws where the system refuses, as below /proc: there
 * `mkdirSync` with `recursive` of Node 24 tries forever.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(path)) throw error; // Otherwise another process has just made it.
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
