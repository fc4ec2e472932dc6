import { z } from 'zod';
import type {
  ChannelHost,
  InboundAttachment,
  InboundDeletion,
  InboundEdit,
  InboundMessage,
  InboundQuote,
} from '../../src/contract.ts';
import { lenient, list, mediaKind, named, optionalText } from '../kit/read-payload.ts';
import { kitWords, languageFor } from '../kit/words.ts';
import { buttonsAmong, linked, type Naming, namedIn, readMrkdwn, tablesIn, wordsInBlocks } from './markup.ts';
import { type Author, type Names, slackbot } from './people.ts';
import { conversationOfPost, type SlackConversation, type Workspace } from './workspaces.ts';

/** Ids of teams, people, bots, chats and files. */
export const id = z.string().regex(/^[A-Z][A-Z0-9]{1,40}$/);
/** Id of a message in its chat: seconds since 1970, with six decimals. */
export const timestamp = z.string().regex(/^\d{1,12}\.\d{1,9}$/);

const file = z.object({
  id,
  user: optionalText,
  name: optionalText,
  mimetype: optionalText,
  subtype: optionalText,
  mode: optionalText,
  file_access: optionalText,
  size: lenient(z.int().nonnegative()),
});

/** Below a post: a shared message, or content of a program. */
const attachment = z.object({
  is_share: lenient(z.boolean()),
  is_msg_unfurl: lenient(z.boolean()),
  author_id: lenient(id),
  author_name: optionalText,
  author_subname: optionalText,
  /** It is the preview of this address. */
  from_url: optionalText,
  pretext: optionalText,
  title: optionalText,
  title_link: optionalText,
  text: optionalText,
  fields: list(z.object({ title: optionalText, value: optionalText })),
  footer: optionalText,
  fallback: optionalText,
  blocks: z.unknown().optional(),
  actions: z.unknown().optional(),
  message_blocks: list(z.object({ message: z.object({ blocks: z.unknown().optional() }) })),
  files: list(file),
});

/** A message. Fields that say who wrote it and where are not lenient, so that it cannot be misattributed. */
export const postShape = z.object({
  ts: timestamp,
  thread_ts: timestamp.nullish(),
  subtype: z.string().nullish(),
  user: id.nullish(),
  bot_id: id.nullish(),
  bot_profile: z.object({ name: optionalText }).nullish(),
  user_team: id.nullish(),
  source_team: id.nullish(),
  team: id.nullish(),
  username: optionalText,
  text: optionalText,
  blocks: z.unknown().optional(),
  files: list(file),
  attachments: list(attachment),
  edited: lenient(z.object({ ts: timestamp })),
});

export type SlackPost = z.output<typeof postShape>;
type SlackAttachment = z.output<typeof attachment>;

/** A post by somebody else, before names are filled in. Texts are mrkdwn. */
export interface ReadPost {
  readonly post: SlackPost;
  readonly conversation: SlackConversation;
  /** The same for all events about this post. */
  readonly key: string;
  readonly author: Author;
  readonly text: string;
  readonly shared: readonly Shared[];
  readonly attachments: readonly InboundAttachment[];
  readonly calls: boolean;
  /** It mentions others, and not the bot. */
  readonly callsOthers: boolean;
}

interface Shared {
  readonly text: string;
  readonly authorId?: string | undefined;
  readonly authorName?: string | undefined;
}

export interface Arrival {
  readonly workspace: Workspace;
  readonly chatId: string;
  readonly ours: readonly Workspace[];
}

/** Subtypes with which people say something. Others report changes of the chat. */
const spokenSubtypes: readonly string[] = ['', 'file_share', 'thread_broadcast', 'me_message', 'bot_message'];

/** Reads a post, or returns the reason to ignore it. */
export function readPost(post: SlackPost, { workspace, chatId, ours }: Arrival): ReadPost | string {
  const author = authorOf(post, workspace, ours);
  if (author === 'self') return 'the bot wrote it';
  if (author === undefined) return 'nobody wrote it';
  if (!spokenSubtypes.includes(post.subtype ?? '')) return `nothing is said with ${post.subtype}`;

  const text = author.isPerson ? typedIn(post) : textOfPost(post);
  // What a program attached to the words of a person. Previews repeat what an address leads to.
  const below = author.isPerson ? wordsBelow(post, text.trim() !== '') : '';
  const { users, groups } = namedIn(text);
  const calls = users.includes(workspace.botUserId);
  const shared = [...sharedWith(post), ...(below.trim() === '' ? [] : [{ text: below }])];
  const attachments = [
    ...filesOf(post.files, workspace, author),
    ...post.attachments.filter(isShared).flatMap(({ files }) => filesOf(files, workspace)),
  ];
  return {
    post,
    conversation: conversationOfPost(workspace, chatId, post),
    key: `${workspace.teamId}:${chatId}:${post.ts}`,
    author,
    text,
    shared,
    attachments,
    calls,
    callsOthers: !calls && (users.length > 0 || groups.length > 0),
  };
}

export function isEmpty({ text, shared, attachments }: ReadPost): boolean {
  return text.trim() === '' && shared.length === 0 && attachments.length === 0;
}

/** The ids of people and chats whose names the post needs. */
export function namesFor({ author, conversation, text, shared }: ReadPost): readonly string[] {
  return [
    ...(author.isPerson ? [author.id] : []),
    conversation.chatId,
    ...[text, ...shared.map((one) => one.text)].flatMap(idsIn),
    ...shared.flatMap(({ authorId, authorName }) => (authorName === undefined && authorId) || []),
  ];
}

/** The same to quote the root of a thread. */
export function namesInRoot(root: SlackPost): readonly string[] {
  return [...(typeof root.user === 'string' ? [root.user] : []), ...idsIn(textOfPost(root))];
}

function idsIn(text: string): readonly string[] {
  const { users, chats } = namedIn(text);
  return [...users, ...chats];
}

/**
 * The author of a post; undefined if it names nobody. In shared channels, people keep their own team. The bots of all
 * our workspaces count as the bot itself: two may be in one channel.
 */
function authorOf(
  post: SlackPost,
  { teamId: here }: Workspace,
  ours: readonly Workspace[],
): Author | 'self' | undefined {
  const { user, bot_id, subtype } = post;
  if (ours.some(({ botUserId, botId }) => user === botUserId || bot_id === botId)) return 'self';
  const teamId = post.user_team ?? post.source_team ?? post.team ?? here;
  const isPerson = !bot_id && !post.bot_profile && subtype !== 'bot_message' && user !== slackbot;
  const id = isPerson ? user : (bot_id ?? user);
  if (!id) return undefined;
  return { isPerson, teamId, id, name: isPerson ? undefined : post.bot_profile?.name || post.username || id };
}

/**
 * Attachments, with the workspace to fetch them through. Skips deleted and hidden files. Files that the sender did not
 * upload count as shared.
 */
function filesOf(files: SlackPost['files'], { teamId }: Workspace, sender?: Author): readonly InboundAttachment[] {
  return files.filter(isThere).map(({ id, user, name, mimetype, subtype, size }) => ({
    kind: subtype === 'slack_audio' ? 'voice' : mediaKind(mimetype),
    handle: `${teamId}/${id}`,
    name: name || undefined,
    mediaType: mimetype || undefined,
    size,
    isShared: sender === undefined || (sender.isPerson && !!user && user !== sender.id) || undefined,
  }));
}

/** In shared channels Slack gives only the id, and details on request. */
function isThere({ mode, file_access }: z.output<typeof file>): boolean {
  if (file_access === 'check_file_info') return true;
  const isGone = mode === 'tombstone' || mode === 'hidden_by_limit';
  return !isGone && file_access !== 'file_not_found' && file_access !== 'access_denied';
}

/** The visible text of a post. Programs may put all of it into attachments. */
export function textOfPost(post: SlackPost): string {
  const typed = typedIn(post);
  return typed.trim() === '' ? wordsBelow(post) : typed;
}

function typedIn({ text = '', blocks, bot_id }: SlackPost): string {
  const isProgram = typeof bot_id === 'string';
  const shown = text.trim() === '' || isProgram ? wordsInBlocks(blocks) : '';
  return together(
    [text.trim() === '' ? shown : together([text, beyond(text, shown)], '\n\n'), tablesIn(blocks)],
    '\n\n',
  );
}

/** The paragraphs of the blocks that the text of the post, which is for notifications, does not hold. */
function beyond(text: string, shown: string): string {
  const said = lettersIn(text);
  return shown
    .split('\n\n')
    .filter((paragraph) => !said.includes(lettersIn(paragraph)))
    .join('\n\n');
}

function lettersIn(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function wordsBelow({ attachments }: SlackPost, withoutPreviews = false): string {
  const below = attachments.filter((one) => !isShared(one) && !(withoutPreviews && one.from_url !== undefined));
  return together(below.map(shownAttachment), '\n\n');
}

function shownAttachment(attachment: SlackAttachment): string {
  const {
    pretext,
    title = '',
    title_link,
    from_url,
    text,
    fields,
    footer,
    fallback = '',
    blocks,
    actions,
  } = attachment;
  const rows = fields.map(({ title: name, value }) => together([name, value], ': '));
  const heading = linked(title, title_link ?? from_url);
  const said = together([pretext, heading, text, ...rows, wordsInBlocks(blocks), footer], '\n');
  return together([said || fallback, ...buttonsAmong(actions)], '\n');
}

function sharedWith({ attachments }: SlackPost): readonly Shared[] {
  return attachments.filter(isShared).flatMap((shared) => {
    const { message_blocks, text = '', fallback, author_id, author_name, author_subname, files } = shared;
    const inside = message_blocks.map(({ message }) => wordsInBlocks(message.blocks));
    const more = inside.map((words) => beyond(text, words));
    const tables = message_blocks.map(({ message }) => tablesIn(message.blocks));
    const said = text.trim() === '' ? together(inside, '\n\n') || fallback : together([text, ...more], '\n\n');
    const source = together([said, ...tables], '\n\n');
    if (source === '' && files.length === 0) return [];
    return [{ text: source, authorId: author_id, authorName: author_name || author_subname || undefined }];
  });
}

function together(texts: readonly (string | undefined)[], between: string): string {
  return texts.filter((text = '') => text.trim() !== '').join(between);
}

function isShared({ is_share, is_msg_unfurl }: SlackAttachment): boolean {
  return is_share === true || is_msg_unfurl === true;
}

/** The text for the model, without a leading mention of the bot unless nothing else is left. */
export function readText(source: string, botUserId: string, naming: Naming): string {
  const call = new RegExp(`^(?:\\s*<@${botUserId}(?:\\|[^<>]*)?>[\\s,:]*)+`);
  const said = readMrkdwn(source.replace(call, ''), naming).trim();
  return said === '' ? readMrkdwn(source, naming).trim() : said;
}

interface MessageContext {
  readonly isAddressed: boolean;
  /** Of the thread, if the host needs it. */
  readonly root: SlackPost | undefined;
  readonly host: Pick<ChannelHost, 'languageFor'>;
}

/** The post for the host, with the names known now. */
export function messageOf(read: ReadPost, names: Names, { isAddressed, root, host }: MessageContext): InboundMessage {
  const { post, conversation, author, key, attachments, callsOthers } = read;
  const speaker = names.speaker(conversation, author);
  return {
    type: 'message',
    key,
    ...speaker,
    ...wordsIn(read, names),
    addressed: isAddressed,
    isThreadReply: (conversation.shownIn !== undefined && !callsOthers) || undefined,
    sentAt: Math.floor(Number(post.ts) * 1000),
    messageId: post.ts,
    unreadable: isEmpty(read) ? kitWords[languageFor(host, speaker.sender)].thisKindOfMessage : undefined,
    attachments: attachments.length > 0 ? attachments : undefined,
    ...answered(read, isAddressed),
    quote: root && quoteOf(root, conversation, names),
  };
}

export function editOf(read: ReadPost, names: Names): InboundEdit {
  const { key, post, conversation, author } = read;
  const about = { key: `${key}:e:${post.edited?.ts}`, messageKey: key };
  return {
    type: 'edit',
    ...about,
    ...names.speaker(conversation, author),
    ...wordsIn(read, names),
    ...answered(read, false),
  };
}

export function deletionOf({ key, conversation, author }: ReadPost, names: Names): InboundDeletion {
  return { type: 'deletion', key: `${key}:d`, messageKey: key, ...names.speaker(conversation, author) };
}

function wordsIn(
  { text, shared, conversation: { workspace } }: ReadPost,
  names: Names,
): Pick<InboundEdit, 'text' | 'shared'> {
  const { botUserId } = workspace;
  const naming = names.in(workspace);
  const passedOn = shared.map((one) => ({
    how: 'forwarded' as const,
    name: one.authorName ?? (one.authorId === undefined ? '' : naming(one.authorId)),
    text: readText(one.text, botUserId, naming),
    isOwn: one.authorId === botUserId,
  }));
  return { text: readText(text, botUserId, naming), shared: passedOn.length > 0 ? passedOn : undefined };
}

/** Slack has no replies to one message: what stands in a thread answers its root, or what is asked there. */
function answered({ conversation: { shownIn, threadId } }: ReadPost, isAddressed: boolean) {
  return shownIn === undefined ? undefined : { answersTo: threadId, answersThread: isAddressed || undefined };
}

/** Slack's own roots: in the assistant pane, and in place of a deleted post. */
const unsaid: readonly string[] = ['assistant_app_thread', 'tombstone'];

/** A post as words of another message. Undefined if it says nothing and has no files. */
export function quoteOf(
  root: SlackPost,
  { workspace, chatId }: Pick<SlackConversation, 'workspace' | 'chatId'>,
  names: Names,
): InboundQuote | undefined {
  if (unsaid.includes(root.subtype ?? '')) return undefined;
  const naming = names.in(workspace);
  const shared = root.attachments.filter(isShared).flatMap(({ files }) => files);
  const files = filesOf([...root.files, ...shared], workspace).map(({ isShared: _, ...file }) => file);
  const words = readText(textOfPost(root), workspace.botUserId, naming);
  const text = words || files.map(({ kind, name }) => named(kind, name)).join('\n');
  if (text === '') return undefined;
  const author = authorOf(root, workspace, [workspace]);
  const messageKey = `${workspace.teamId}:${chatId}:${root.ts}`;
  const said = { text, ...(files.length > 0 && { messageKey, attachments: files }) };
  if (author === 'self') return { name: workspace.botName, ...said, isOwn: true };
  return { name: author?.name ?? (author ? naming(author.id) : ''), ...said, isOwn: false };
}
