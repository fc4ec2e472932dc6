import type { Sender } from '../../../src/contract.ts';
import type { Workspace } from '../workspaces.ts';
import { authorOf, idOf, type Outsider } from './author.ts';
import { attachmentsOf } from './inbound-files.ts';
import type { Names, Wanted } from './names.ts';
import type { SlackPost } from './payload.ts';
import { isDirect, type Place, placeOfPost } from './place.ts';
import { isShared, type PostText, type Shared, sharedWith, textOfPost } from './post-text.ts';

/** A post that somebody else wrote, before names are put in. */
export interface ReadPost {
  readonly post: SlackPost;
  readonly place: Place;
  /** The same for all that is ever told of this post. */
  readonly key: string;
  readonly author: Outsider;
  readonly text: PostText;
  readonly shared: readonly Shared[];
  readonly attachments: ReturnType<typeof attachmentsOf>;
  readonly isReply: boolean;
  /** It names the bot. */
  readonly calls: boolean;
  /** It names somebody else, and not the bot. */
  readonly callsOthers: boolean;
}

/** Where a post came to. */
export interface Arrival {
  readonly workspace: Workspace;
  readonly chatId: string;
  /** All workspaces in which the bot is. */
  readonly ours: readonly Workspace[];
}

/** Reads a post; or says why it is none of our business. */
export function readPost(post: SlackPost, { workspace, chatId, ours }: Arrival): ReadPost | string {
  const author = authorOf(post, workspace, ours);
  if (author.type === 'self') return 'the bot wrote it';
  if (author.type === 'nobody') return 'nobody wrote it';
  if (!spokenSubtypes.includes(post.subtype ?? '')) return `nothing is said with ${post.subtype}`;

  const text = textOfPost(post);
  const { users, groups } = text.named;
  const calls = users.includes(workspace.botUserId);
  return {
    post,
    place: placeOfPost(workspace, chatId, post),
    key: `${workspace.teamId}:${chatId}:${post.ts}`,
    author,
    text,
    shared: sharedWith(post),
    attachments: attachmentsOf(filesOf(post), workspace.teamId),
    isReply: typeof post.thread_ts === 'string' && post.thread_ts !== post.ts,
    calls,
    callsOthers: !calls && (users.length > 0 || groups.length > 0),
  };
}

/** Whether something was said with the post. */
export function isEmpty({ text, shared, attachments }: ReadPost): boolean {
  return text.source.trim() === '' && shared.length === 0 && attachments.length === 0;
}

/** The names without which the post can't be told of. */
export function namesFor({ author, place, text, shared }: ReadPost): Wanted {
  const texts = [text, ...shared].map(({ named }) => named);
  const authors = shared.flatMap(({ authorId, authorName }) =>
    authorName === undefined && authorId ? [authorId] : [],
  );
  return {
    users: [...(author.type === 'person' ? [author.userId] : []), ...texts.flatMap(({ users }) => users), ...authors],
    chats: [...(isDirect(place.chatId) ? [] : [place.chatId]), ...texts.flatMap(({ chats }) => chats)],
  };
}

/** Who sent the post, by the name that is known now. */
export function senderOf({ author, place: { workspace } }: ReadPost, names: Names): Sender {
  if (author.type === 'program') return { id: idOf(author), name: author.name, isPerson: false };
  const name = names.find(workspace, author.userId) ?? author.userId;
  return { id: idOf(author), name, isPerson: true };
}

/** With what people say something. All else tells of the chat: who came, what it is called now. */
const spokenSubtypes: readonly string[] = ['', 'file_share', 'thread_broadcast', 'me_message', 'bot_message'];

/** What was sent with a post, also with one that is forwarded. */
function filesOf({ files, attachments }: SlackPost): SlackPost['files'] {
  return [...files, ...attachments.filter(isShared).flatMap((shared) => shared.files)];
}
