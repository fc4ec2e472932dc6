import type { Sender } from '../../../src/contract.ts';
import type { Workspace } from '../workspaces.ts';
import type { SlackPost } from './payload.ts';

/** Who wrote a post: the bot itself, a person, another program, or nobody that is named. */
export type Author =
  | { readonly type: 'self' }
  | { readonly type: 'nobody' }
  | { readonly type: 'person'; readonly teamId: string; readonly userId: string }
  | { readonly type: 'program'; readonly teamId: string; readonly id: string; readonly name: string };

/** Somebody who writes to the bot. */
export type Outsider = Exclude<Author, { readonly type: 'self' | 'nobody' }>;

/** Slack's own program writes as a person does. */
const slackbot = 'USLACKBOT';

/**
 * Who wrote a post that came to this workspace. In a chat with another organization people have the team that they are
 * members of. The bot of each of our workspaces is the bot itself: two of them may be in one channel.
 */
export function authorOf(post: SlackPost, { teamId: here }: Workspace, ours: readonly Workspace[]): Author {
  const { user, bot_id, subtype } = post;
  if (ours.some(({ botUserId, botId }) => user === botUserId || bot_id === botId)) return { type: 'self' };
  const teamId = post.user_team ?? post.source_team ?? post.team ?? here;
  const isProgram =
    typeof bot_id === 'string' || isGiven(post.bot_profile) || subtype === 'bot_message' || user === slackbot;
  if (isProgram) {
    const id = bot_id ?? user ?? undefined;
    return id === undefined ? { type: 'nobody' } : { type: 'program', teamId, id, name: nameOfProgram(post) ?? id };
  }
  return typeof user === 'string' ? { type: 'person', teamId, userId: user } : { type: 'nobody' };
}

/** What access knows him by. */
export function idOf(author: Outsider): string {
  return `${author.teamId}/${author.type === 'person' ? author.userId : author.id}`;
}

/** A person by his own workspace and his id there. */
export function personSender(teamId: string, userId: string, name: string): Sender {
  return { id: `${teamId}/${userId}`, name, isPerson: userId !== slackbot };
}

function nameOfProgram({ bot_profile, username }: SlackPost): string | undefined {
  return bot_profile?.name || username || undefined;
}

function isGiven(value: object | null | undefined): boolean {
  return value !== null && value !== undefined;
}
