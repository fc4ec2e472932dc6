import { mkdirSync, realpathSync } from 'node:fs';
import type { Conversation } from '../contract.ts';

/**
 * Finds the folder that a conversation's tools work in, making it if it is not there. The template is an absolute path
 * that may contain `{channel}`, `{chat_id}` and `{thread_id}`. Resolves to a path without symlinks.
 */
export function workspaceFinder(template: string): (conversation: Conversation) => string {
  return (conversation) => {
    const folder = fill(template, conversation);
    mkdirSync(folder, { recursive: true });
    return realpathSync(folder);
  };
}

function fill(template: string, { channel, tenant, chatId, threadId }: Conversation): string {
  const chat = tenant === undefined ? chatId : `${tenant}-${chatId}`;
  return template
    .replaceAll('{channel}', () => asFolder(channel))
    .replaceAll('{chat_id}', () => asFolder(chat))
    .replaceAll('{thread_id}', () => asFolder(threadId ?? 'main'));
}

/** Ids come from platforms: whatever they hold, one folder is made of them. */
function asFolder(id: string): string {
  const safe = encodeURIComponent(id).replaceAll('.', '%2E').slice(0, 120);
  return safe === '' ? '_' : safe;
}
