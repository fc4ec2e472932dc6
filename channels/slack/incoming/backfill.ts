import type { Conversation } from '../../../src/contract.ts';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { Workspace, Workspaces } from '../workspaces.ts';
import { PacedCalls } from './paced-calls.ts';

/** What lies further back was said to somebody else by now, in milliseconds. */
const furthest = 24 * 3_600_000;
/** Of each place, the latest. */
const mostPosts = 50;
/** Slack gives the answers in a thread with the oldest first, and no more than that. */
const mostReplies = 999;
/** So often is a post given to be stored, with so many milliseconds between. */
const mostTries = 3;
const pause = 5_000;

export interface BackfillTask {
  /** Since when nothing may have come, in milliseconds since 1970. */
  readonly since: number;
  /** Where people have talked with the bot: each of them is asked about. */
  readonly places: readonly Conversation[];
  readonly workspaces: Workspaces;
  /** Takes a body as Slack delivers it. */
  readonly take: (body: unknown) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

interface Chat {
  readonly workspace: Workspace;
  readonly chatId: string;
  readonly threads: Set<string>;
}

/**
 * Brings what was said while nobody listened, as if Slack delivered it now: at most a day back, 50 posts of each place; in
 * each chat the oldest first. What can't be read is left out and logged once. Resolves soon after the signal aborts. Never
 * throws. False where something is left that another time may bring.
 */
export async function backfill(task: BackfillTask): Promise<boolean> {
  const { clock, signal, log } = task;
  const oldest = Math.max(task.since, clock.now() - furthest);
  const calls = new PacedCalls({ clock, signal, log });
  let found = 0;
  let isWhole = true;
  for (const chat of chatsIn(task)) {
    if (signal.aborted) return false;
    const posts = await postsIn(chat, { calls, oldest });
    found += posts.length;
    for (const post of posts) if (!(await isStored(bodyOf(post, chat), task))) isWhole = false;
  }
  if (found > 0) log.info({ posts: found }, 'Slack was asked for what was said meanwhile');
  return isWhole && !calls.isLacking;
}

function chatsIn({ places, workspaces }: BackfillTask): readonly Chat[] {
  const chats = new Map<string, Chat>();
  for (const { tenant, chatId, threadId } of places) {
    const workspace = tenant === undefined ? undefined : workspaces.find(tenant);
    if (workspace === undefined) continue;
    const key = `${workspace.teamId}/${chatId}`;
    const chat = chats.get(key) ?? { workspace, chatId, threads: new Set<string>() };
    chats.set(key, chat);
    if (threadId !== undefined) chat.threads.add(threadId);
  }
  return [...chats.values()];
}

interface Reach {
  readonly calls: PacedCalls;
  readonly oldest: number;
}

/**
 * What stands in threads is not in the history of the chat; but the posts above them are, and tell of the latest answer,
 * also to a post that is older than what is asked for.
 */
async function postsIn({ workspace, chatId, threads }: Chat, { calls, oldest }: Reach): Promise<readonly JsonObject[]> {
  const isMissed = (post: JsonObject): boolean => Number(tsOf(post)) * 1000 > oldest;
  const latest = { channel: chatId, limit: mostPosts };
  const history = await calls.messages(workspace, 'conversations.history', latest);
  const posts = new Map(history.filter(isMissed).map((post) => [tsOf(post), post]));
  const [begun, quiet] = [new Set(threads), new Set<string>()];
  for (const post of history) (isAnsweredSince(oldest, post) ? begun : quiet).add(tsOf(post));
  for (const ts of begun) {
    if (quiet.has(ts)) continue;
    const since = { channel: chatId, ts, oldest: (oldest / 1000).toFixed(6), inclusive: false, limit: mostReplies };
    const replies = await calls.messages(workspace, 'conversations.replies', since);
    // The root comes with them, however old it is.
    for (const reply of replies.filter(isMissed).slice(-mostPosts)) posts.set(tsOf(reply), reply);
  }
  return [...posts.values()].sort((one, other) => Number(tsOf(one)) - Number(tsOf(other)));
}

/** Whether there is an answer beneath the post that is as new as that, as far as it tells. */
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

/** False if it could not be, or the signal has aborted. */
async function isStored(body: JsonObject, { take, clock, signal, log }: BackfillTask): Promise<boolean> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      await take(body);
      return true;
    } catch (error) {
      if (tries === mostTries) {
        log.warn({ err: error }, 'what was said meanwhile could not be stored');
        return false;
      }
    }
    await sleep(clock, pause, signal);
  }
  return false;
}
