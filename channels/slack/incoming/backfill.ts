import type { Conversation } from '../../../src/contract.ts';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { Workspace, Workspaces } from '../workspaces.ts';
import { PacedCalls } from './paced-calls.ts';

/** What lies further back was said to somebody else by now, in milliseconds. */
const furthest = 24 * 3_600_000;
const mostPlaces = 200;
/** Of each: of a chat the latest, of a thread the first since then. */
const mostPosts = 50;
/** So often is a post given to be stored, with so many milliseconds between. */
const mostTries = 3;
const pause = 5_000;

export interface BackfillTask {
  /** Since when nothing may have come, in milliseconds since 1970. */
  readonly since: number;
  /** Where people have talked with the bot, the latest first. */
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
 * Brings what was said while nobody listened, as if Slack delivered it now: at most a day back, in 200 places, 50 posts of
 * each; in each chat the oldest first. What can't be read is left out and logged once. Resolves when all is stored, or soon
 * after the signal aborts. Never throws.
 */
export async function backfill(task: BackfillTask): Promise<void> {
  const { clock, signal, log } = task;
  const oldest = Math.max(task.since, clock.now() - furthest);
  const calls = new PacedCalls({ clock, signal, log });
  let found = 0;
  for (const chat of chatsIn(task)) {
    if (signal.aborted) return;
    const posts = await postsIn(chat, { calls, oldest });
    found += posts.length;
    for (const post of posts) await store(bodyOf(post, chat), task);
  }
  if (found > 0) log.info({ posts: found }, 'Slack was asked for what was said meanwhile');
}

function chatsIn({ places, workspaces }: BackfillTask): readonly Chat[] {
  const chats = new Map<string, Chat>();
  for (const { tenant, chatId, threadId } of places.slice(0, mostPlaces)) {
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

/** What stands in threads is not in the history of the chat. */
async function postsIn({ workspace, chatId, threads }: Chat, { calls, oldest }: Reach): Promise<readonly JsonObject[]> {
  const range = { channel: chatId, oldest: (oldest / 1000).toFixed(6), inclusive: false, limit: mostPosts };
  const history = await calls.messages(workspace, 'conversations.history', range);
  const begun = history.filter(({ reply_count }) => typeof reply_count === 'number' && reply_count > 0);
  const roots = new Set([...threads, ...begun.map(tsOf)]);
  const posts = new Map(history.map((post) => [tsOf(post), post]));
  for (const ts of roots) {
    const replies = await calls.messages(workspace, 'conversations.replies', { ...range, ts });
    // The root comes with them, however old it is.
    for (const reply of replies.filter((post) => Number(tsOf(post)) * 1000 > oldest)) posts.set(tsOf(reply), reply);
  }
  return [...posts.values()].sort((one, other) => Number(tsOf(one)) - Number(tsOf(other)));
}

function tsOf({ ts }: JsonObject): string {
  return typeof ts === 'string' ? ts : '';
}

function bodyOf(post: JsonObject, { workspace: { teamId }, chatId }: Chat): JsonObject {
  const event = { ...post, type: 'message', channel: chatId };
  return { type: 'event_callback', team_id: teamId, authorizations: [{ team_id: teamId }], event };
}

async function store(body: JsonObject, { take, clock, signal, log }: BackfillTask): Promise<void> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      await take(body);
      return;
    } catch (error) {
      if (tries === mostTries) return log.warn({ err: error }, 'what was said meanwhile could not be stored');
    }
    await sleep(clock, pause, signal);
  }
}
