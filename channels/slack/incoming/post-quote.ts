import type { Quote } from '../../../src/contract.ts';
import type { Workspace } from '../workspaces.ts';
import { authorOf } from './author.ts';
import type { Names, Wanted } from './names.ts';
import type { SlackPost } from './payload.ts';
import { readText, type Shared, textOfPost } from './post-text.ts';

/** What was forwarded, as a quote; undefined if nothing was. */
export function quoteOfShared(shared: readonly Shared[], workspace: Workspace, names: Names): Quote | undefined {
  const [first] = shared;
  if (first === undefined) return undefined;
  const { authorId, authorName } = first;
  return {
    name: authorName ?? (authorId === undefined ? '' : names.in(workspace).person(authorId)),
    text: shared.map((text) => readText(text, workspace.botUserId, names.in(workspace))).join('\n\n'),
    isOwn: shared.every((one) => one.authorId === workspace.botUserId),
  };
}

/** The names without which the root of a thread can't be quoted. */
export function namesInRoot(root: SlackPost): Wanted {
  const { users, chats } = textOfPost(root).named;
  return { users: [...(typeof root.user === 'string' ? [root.user] : []), ...users], chats };
}

/** The root of a thread, as a quote; undefined if nothing is said in it. */
export function quoteOfRoot(root: SlackPost, workspace: Workspace, names: Names): Quote | undefined {
  if (unsaid.includes(root.subtype ?? '')) return undefined;
  const text = readText(textOfPost(root), workspace.botUserId, names.in(workspace));
  if (text === '') return undefined;
  const author = authorOf(root, workspace, [workspace]);
  switch (author.type) {
    case 'self':
      return { name: workspace.botName, text, isOwn: true };
    case 'person':
      return { name: names.in(workspace).person(author.userId), text, isOwn: false };
    case 'program':
      return { name: author.name, text, isOwn: false };
    case 'nobody':
      return { name: '', text, isOwn: false };
  }
}

/** What Slack itself puts where a thread begins: in the assistant's pane, and for a post that was deleted. */
const unsaid: readonly string[] = ['assistant_app_thread', 'tombstone'];
