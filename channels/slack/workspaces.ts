import { ChannelError, type Conversation } from '../../src/contract.ts';
import type { SlackApi } from './api.ts';

/** A workspace of Slack in which the app is installed, and what we are called there. */
export interface Workspace {
  readonly teamId: string;
  readonly name: string;
  /** The id by which the bot is mentioned: `U0123ABCD`. */
  readonly botUserId: string;
  /** What stands in the messages that the bot writes: `B0123ABCD`. */
  readonly botId: string;
  /** The bot's name, for people to read. */
  readonly botName: string;
  readonly appId?: string | undefined;
  /** What the operator has granted. Left out where Slack does not say. */
  readonly scopes?: ReadonlySet<string> | undefined;
  readonly api: SlackApi;
}

/** The workspaces whose tokens were seen to be good, in the order in which the tokens stand in the config. */
export class Workspaces {
  /** By their tokens. Undefined where it is being found out. */
  readonly #byToken = new Map<string, Workspace | undefined>();
  /** Tokens that Slack refuses, for now or for good. */
  readonly #refused = new Set<string>();

  get all(): readonly Workspace[] {
    return [...this.#byToken.values()].filter((workspace) => workspace !== undefined);
  }

  /** Whether there is a token of which it is not known yet where it belongs. */
  get isIncomplete(): boolean {
    return [...this.#byToken.values()].includes(undefined);
  }

  /** The workspace of this team; the first one where no team is named. */
  find(teamId?: string): Workspace | undefined {
    return this.all.find((workspace) => teamId === undefined || workspace.teamId === teamId);
  }

  /** Where this conversation takes place. Throws `ChannelError`: transient while that may still become known. */
  of({ tenant }: Pick<Conversation, 'tenant'>): Workspace {
    const workspace = this.find(tenant);
    if (workspace !== undefined) return workspace;
    if (this.isIncomplete || this.#refused.size > 0 || tenant === undefined)
      throw new ChannelError(
        { type: 'transient', isUnsent: true },
        'Slack has not said yet to which workspace the bot token belongs',
      );
    throw new ChannelError(
      { type: 'permanent' },
      `There is no bot token for the workspace ${tenant}: put one into channels.slack.more_bot_tokens`,
    );
  }

  /** It is being found out where this token belongs. What was known of it holds until then. */
  expect(token: string): void {
    this.#refused.delete(token);
    this.#byToken.set(token, this.#byToken.get(token));
  }

  /** Slack refuses this token: it is not known where it belongs, unless it is added later. */
  refuse(token: string): void {
    this.#byToken.delete(token);
    this.#refused.add(token);
  }

  add(token: string, workspace: Workspace): void {
    this.#byToken.set(token, workspace);
    this.#refused.delete(token);
  }
}

/** Where something was said or pressed. */
export interface Place {
  readonly workspace: Workspace;
  readonly chatId: string;
  /** The thread as a conversation. In a channel, each post begins one of its own. */
  readonly threadId?: string | undefined;
  /** The thread in which people see it. Undefined: beside all others. */
  readonly shownIn?: string | undefined;
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
  return { workspace, chatId, threadId, shownIn: threadId };
}

export function conversationAt({ workspace, chatId, threadId }: Place, title?: string): Conversation {
  return {
    channel: 'slack',
    tenant: workspace.teamId,
    chatId,
    threadId,
    kind: isDirect(chatId) ? 'direct' : 'group',
    title: title || undefined,
  };
}

/** Slack names direct chats so, whatever else it says of them; groups of several people are none. */
export function isDirect(chatId: string): boolean {
  return chatId.startsWith('D');
}
