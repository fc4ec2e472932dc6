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

/** A bot token: where it belongs, if that is known, and what Slack has said of it in this session. */
interface TokenState {
  readonly workspace: Workspace | undefined;
  readonly verdict: 'open' | 'good' | 'refused';
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** The bot tokens with the workspaces that they belong to, in the order in which the tokens stand in the config. */
export function createWorkspaces() {
  const tokens = new Map<string, TokenState>();
  const states = (): readonly TokenState[] => [...tokens.values()];
  const all = (): readonly Workspace[] => states().flatMap(({ workspace }) => workspace ?? []);

  /** The workspace of this team; the first one where no team is named. */
  const find = (teamId?: string): Workspace | undefined =>
    all().find((workspace) => teamId === undefined || workspace.teamId === teamId);

  return {
    find,
    verdictOn: (token: string) => tokens.get(token)?.verdict,

    get all(): readonly Workspace[] {
      return all();
    },

    get isAnyGood(): boolean {
      return states().some(({ verdict }) => verdict === 'good');
    },

    /** Whether there is a token of which it is not known yet where it belongs. */
    get isIncomplete(): boolean {
      return states().some(({ workspace, verdict }) => workspace === undefined && verdict === 'open');
    },

    /** Where this conversation takes place. Throws `ChannelError`: transient while that may still become known. */
    of({ tenant }: Pick<Conversation, 'tenant'>): Workspace {
      const workspace = find(tenant);
      if (workspace !== undefined) return workspace;
      if (tenant === undefined || states().some((state) => state.workspace === undefined))
        throw new ChannelError(
          { type: 'transient', isUnsent: true },
          'Slack has not said yet to which workspace the bot token belongs',
        );
      throw new ChannelError(
        { type: 'permanent' },
        `There is no bot token for the workspace ${tenant}: put one into channels.slack.more_bot_tokens`,
      );
    },

    /** A session begins to find out where this token belongs. What was known of it holds until then. */
    expect(token: string): void {
      tokens.set(token, { workspace: tokens.get(token)?.workspace, verdict: 'open' });
    },

    accept(token: string, workspace: Workspace): void {
      tokens.set(token, { workspace, verdict: 'good' });
    },

    /** What was good in this session is remembered: what is sent there says why it fails. */
    refuse(token: string): void {
      const { workspace, verdict } = tokens.get(token) ?? {};
      tokens.set(token, { workspace: verdict === 'good' ? workspace : undefined, verdict: 'refused' });
    },
  };
}

export interface Place {
  readonly workspace: Workspace;
  readonly chatId: string;
  /** The thread as a conversation. In a channel, each post begins one of its own. */
  readonly threadId?: string | undefined;
  /** The thread in which people see it. Undefined: beside all others. */
  readonly shownIn?: string | undefined;
}

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
