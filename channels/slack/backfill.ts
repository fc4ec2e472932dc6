import type { Conversation } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../../src/lib/json.ts';
import type { Log } from '../../src/lib/log.ts';
import { PatientReading } from '../kit/reception.ts';
import { isRefused } from '../kit/request-failure.ts';
import { absence, type SlackAnswer } from './api.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

/** How many conversations are read, the latest first. */
export const mostConversations = { short: 20, long: 200 } as const;
/** Posts per conversation, the latest. */
const mostPosts = 50;
/** Direct chats that nobody is known to have talked in, the newest. */
const mostNewChats = 50;
/** Slack's limit. It returns the oldest replies first. */
const mostReplies = 999;
/** Page size and number of pages of a list. */
const mostListed = 200;
const mostPages = 5;
const mostReads = 5;

export interface BackfillTask {
  readonly since: number;
  /** Conversations that the bot has taken part in. */
  readonly conversations: readonly Conversation[];
  readonly workspaces: Workspaces;
  /** Takes a body in the form that Slack delivers. */
  readonly take: (body: unknown) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** A task under way. */
interface Look extends BackfillTask {
  readonly reading: PatientReading;
}

interface Chat {
  readonly workspace: Workspace;
  readonly chatId: string;
  readonly threads: Set<string>;
}

/**
 * Fetches what was said while disconnected, as if Slack delivered it now: the latest 50 posts of each conversation, and of the
 * newest direct chats, where somebody may have written for the first time; within a chat the oldest first. Skips what
 * cannot be read. Resolves soon after the signal aborts, with false if another run could bring more. Never rejects.
 */
export async function backfill(task: BackfillTask): Promise<boolean> {
  const { signal, log } = task;
  // If the bot is not in the channel, there is nothing to read.
  const isGone = (error: unknown): boolean => isRefused(error, absence);
  const look: Look = { ...task, reading: new PatientReading({ ...task, tries: mostReads, isGone }) };
  const known = chatsIn(task);
  const one = await bring(known.values(), look);
  const other = await bring(await newChats(known, look), look);
  const found = one.found + other.found;
  if (found > 0) log.info({ posts: found }, 'Slack was asked for what was said meanwhile');
  return one.isWhole && other.isWhole && !look.reading.isLacking && !signal.aborted;
}

/** Takes what was said in these chats, until the signal aborts. `isWhole`: all of it could be stored. */
async function bring(
  chats: Iterable<Chat>,
  look: Look,
): Promise<{ readonly found: number; readonly isWhole: boolean }> {
  let [found, isWhole] = [0, true];
  for (const chat of chats) {
    if (look.signal.aborted) break;
    const posts = await postsIn(chat, look);
    found += posts.length;
    if (!(await takeAll(posts, chat, look))) isWhole = false;
  }
  return { found, isWhole };
}

/** False if one could not be stored: stops there, so that later posts do not overtake it. */
async function takeAll(posts: readonly JsonObject[], chat: Chat, { take, signal, log }: Look): Promise<boolean> {
  for (const post of posts) {
    if (signal.aborted) return true;
    try {
      await take(bodyOf(post, chat));
    } catch (error) {
      log.warn({ err: error }, 'what was said meanwhile could not be stored');
      return false;
    }
  }
  return true;
}

/** A history lacks replies in threads, but each root has `latest_reply`, even if it is older than `since`. */
async function postsIn({ workspace, chatId: channel, threads }: Chat, look: Look): Promise<readonly JsonObject[]> {
  const { since } = look;
  const isMissed = (post: JsonObject): boolean => Number(tsOf(post)) * 1000 > since;
  const latest = await ask(workspace, 'conversations.history', { channel, limit: mostPosts }, look);
  const history = objectsIn(latest?.messages);
  const posts = new Map(history.filter(isMissed).map((post) => [tsOf(post), post]));
  const [begun, quiet] = [new Set(threads), new Set<string>()];
  for (const post of history) (isAnsweredSince(since, post) ? begun : quiet).add(tsOf(post));
  for (const ts of begun) {
    if (quiet.has(ts)) continue;
    const range = { channel, ts, oldest: (since / 1000).toFixed(6), inclusive: false, limit: mostReplies };
    const replies = objectsIn((await ask(workspace, 'conversations.replies', range, look))?.messages);
    // Slack includes the root, however old it is.
    for (const reply of replies.filter(isMissed).slice(-mostPosts)) posts.set(tsOf(reply), reply);
  }
  return [...posts.values()].sort((one, other) => Number(tsOf(one)) - Number(tsOf(other)));
}

async function newChats(known: ReadonlyMap<string, Chat>, look: Look): Promise<readonly Chat[]> {
  const chats: (Chat & { readonly created: number })[] = [];
  for (const workspace of look.workspaces.all) {
    for (const types of ['im', 'mpim']) {
      for (const { id, created } of await directChats(workspace, types, look)) {
        if (typeof id !== 'string' || known.has(keyOf(workspace, id))) continue;
        chats.push({ workspace, chatId: id, threads: new Set(), created: Number(created) || 0 });
      }
    }
  }
  return chats.sort((one, other) => other.created - one.created).slice(0, mostNewChats);
}

/** The bot's direct chats with one person (`im`) or several (`mpim`), at most `mostPages` pages. */
async function directChats(workspace: Workspace, types: string, look: Look): Promise<readonly JsonObject[]> {
  const chats: JsonObject[] = [];
  let cursor: unknown;
  for (let pages = 0; pages < mostPages && cursor !== ''; pages += 1) {
    const page = { types, exclude_archived: true, limit: mostListed, cursor };
    const answer = await ask(workspace, 'users.conversations', page, look);
    chats.push(...objectsIn(answer?.channels));
    const metadata = answer?.response_metadata;
    cursor = (isJsonObject(metadata) && metadata.next_cursor) || '';
  }
  return chats;
}

/** Undefined if Slack refuses, or fails for too long. */
function ask(
  { api }: Workspace,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  { reading, signal }: Look,
): Promise<SlackAnswer | undefined> {
  return reading.read(() => api.call(method, parameters, { repeatable: true, signal }));
}

function chatsIn({ conversations, workspaces }: BackfillTask): ReadonlyMap<string, Chat> {
  const chats = new Map<string, Chat>();
  for (const { tenant, chatId, threadId } of conversations) {
    const workspace = tenant === undefined ? undefined : workspaces.find(tenant);
    if (workspace === undefined) continue;
    const key = keyOf(workspace, chatId);
    const chat = chats.get(key) ?? { workspace, chatId, threads: new Set<string>() };
    chats.set(key, chat);
    if (threadId !== undefined) chat.threads.add(threadId);
  }
  return chats;
}

function keyOf({ teamId }: Workspace, chatId: string): string {
  return `${teamId}/${chatId}`;
}

function isAnsweredSince(instant: number, { reply_count, latest_reply }: JsonObject): boolean {
  if (typeof reply_count !== 'number' || reply_count === 0) return false;
  return typeof latest_reply !== 'string' || Number(latest_reply) * 1000 > instant;
}

function tsOf({ ts }: JsonObject): string {
  return typeof ts === 'string' ? ts : '';
}

function bodyOf(post: JsonObject, { workspace: { teamId }, chatId }: Chat): JsonObject {
  const event = { ...post, type: 'message', channel: chatId };
  return { type: 'event_callback', team_id: teamId, authorizations: [{ team_id: teamId }], event };
}
