import type { Conversation } from '../../../src/contract.ts';
import type { Workspace } from '../workspaces.ts';

/** Where something was said or pressed. */
export interface Place {
  readonly workspace: Workspace;
  readonly chatId: string;
  /** The thread as a conversation. In a channel, each post begins one of its own. */
  readonly threadId?: string;
  /** The thread in which people see it. Left out: beside all others. */
  readonly shownIn?: string;
}

/** The place of a post. */
export function placeOfPost(
  workspace: Workspace,
  chatId: string,
  { ts, thread_ts }: { readonly ts: string; readonly thread_ts?: string | null | undefined },
): Place {
  const isReply = typeof thread_ts === 'string' && thread_ts !== ts;
  // A post that has answers is the root of its thread, and stands beside all others.
  if (isReply) return { workspace, chatId, threadId: thread_ts, shownIn: thread_ts };
  return isDirect(chatId) ? { workspace, chatId } : { workspace, chatId, threadId: ts };
}

/** The place of what belongs to a thread, or to the chat itself. */
export function placeIn(workspace: Workspace, chatId: string, threadId: string | undefined): Place {
  return { workspace, chatId, ...(threadId !== undefined && { threadId, shownIn: threadId }) };
}

export function conversationAt({ workspace, chatId, threadId }: Place, title?: string): Conversation {
  return {
    channel: 'slack',
    tenant: workspace.teamId,
    chatId,
    ...(threadId !== undefined && { threadId }),
    kind: isDirect(chatId) ? 'direct' : 'group',
    ...(title !== undefined && title !== '' && { title }),
  };
}

/** Slack names direct chats so, whatever else it says of them; groups of several people are none. */
export function isDirect(chatId: string): boolean {
  return chatId.startsWith('D');
}
