import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import type { Conversation } from '../contract.ts';

/** A folder that tools should work in can't be used: the message says which, and why. */
export class WorkspaceFolderError extends Error {
  override readonly name = 'WorkspaceFolderError';
}

/**
 * Finds the folder that a conversation's tools work in, making it if it is not there. The template is an absolute path
 * that may contain `{channel}`, `{chat_id}` and `{thread_id}`. Resolves to a path without symlinks, and to the same one as
 * long as it lives: a folder that was exchanged for a link is refused. Throws `WorkspaceFolderError`.
 */
export function workspaceFinder(template: string): (conversation: Conversation) => string {
  const known = new Map<string, string>();
  return (conversation) => {
    const folder = fill(template, conversation);
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

function openFolder(folder: string): string {
  try {
    // Each run asks: when the folder is there, two questions to the operating system are enough.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) mkdirSync(folder, { recursive: true });
    return realpathSync.native(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WorkspaceFolderError(
      `The workspace ${folder} cannot be used: ${reason}. It has to be a folder that this user may write to.`,
      { cause: error },
    );
  }
}

function fill(template: string, { channel, tenant, chatId, threadId }: Conversation): string {
  const chat = tenant === undefined ? asFolder(chatId) : `${asFolder(tenant)}+${asFolder(chatId)}`;
  return template
    .replaceAll('{channel}', () => asFolder(channel))
    .replaceAll('{chat_id}', () => chat)
    .replaceAll('{thread_id}', () => asFolder(threadId ?? 'main'));
}

/** Ids come from platforms: whatever they hold, one folder is made of them, and another one of any other. */
function asFolder(id: string): string {
  const safe = encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');
  if (safe === '') return '+';
  if (safe.length <= longestName && id.isWellFormed()) return safe;
  const digest = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex');
  return `${safe.slice(0, longestName)}+${digest.slice(0, 32)}`;
}

/** File systems take 255 bytes. */
const longestName = 80;
