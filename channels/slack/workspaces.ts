import { isDeepStrictEqual } from 'node:util';
import { ChannelError, type Conversation } from '../../src/contract.ts';
import type { SlackApi } from './api.ts';
import { slackWords } from './words.ts';

/** A workspace in which the app is installed, and the bot's names there. */
export interface Workspace {
  readonly teamId: string;
  readonly name: string;
  /** The id in mentions of the bot: `U0123ABCD`. */
  readonly botUserId: string;
  /** The id in messages by the bot: `B0123ABCD`. */
  readonly botId: string;
  readonly botName: string;
  readonly appId?: string | undefined;
  /** The granted scopes. Left out if Slack does not say. */
  readonly scopes?: ReadonlySet<string> | undefined;
  readonly api: SlackApi;
}

/** A bot token: its workspace, if known, and Slack's verdict in this session. */
interface TokenState {
  readonly workspace: Workspace | undefined;
  readonly verdict: 'open' | 'good' | 'refused';
}

/** The bot tokens and their workspaces, in the order of the config. */
export class Workspaces {
  readonly #tokens = new Map<string, TokenState>();

  get all(): readonly Workspace[] {
    return this.#states.flatMap(({ workspace }) => workspace ?? []);
  }

  /** The team's workspace; the first one if no team is given. */
  find(teamId?: string): Workspace | undefined {
    return this.all.find((workspace) => teamId === undefined || workspace.teamId === teamId);
  }

  /** The conversation's workspace. Throws `ChannelError`: transient while it may still become known. */
  of({ tenant }: Pick<Conversation, 'tenant'>): Workspace {
    const workspace = this.find(tenant);
    if (workspace !== undefined) return workspace;
    if (tenant === undefined || this.#states.some((state) => state.workspace === undefined))
      throw new ChannelError(
        { type: 'transient', isUnsent: true },
        (language) => slackWords[language].workspaceUnknown,
      );
    throw new ChannelError({ type: 'permanent' }, (language) => slackWords[language].noBotToken({ team: tenant }));
  }

  verdictOn(token: string): TokenState['verdict'] | undefined {
    return this.#tokens.get(token)?.verdict;
  }

  get isAnyGood(): boolean {
    return this.#states.some(({ verdict }) => verdict === 'good');
  }

  /** Whether some token's workspace is not known yet. */
  get isIncomplete(): boolean {
    return this.#states.some(({ workspace, verdict }) => workspace === undefined && verdict === 'open');
  }

  /** Notes the verdict on a token. Its workspace stays the same object until Slack says something else of it. */
  judge(token: string, verdict: TokenState['verdict'], identified?: Workspace): void {
    const before = this.#tokens.get(token)?.workspace;
    const isSame = isDeepStrictEqual({ ...before, api: undefined }, { ...identified, api: undefined });
    this.#tokens.set(token, { workspace: isSame ? before : (identified ?? before), verdict });
  }

  get #states(): readonly TokenState[] {
    return [...this.#tokens.values()];
  }
}

/** A conversation, with the workspace that answers for it. */
export interface SlackConversation {
  readonly workspace: Workspace;
  readonly chatId: string;
  /** The conversation's thread. In a channel, each post starts one. */
  readonly threadId?: string | undefined;
  /** The thread in which people see it. Undefined: outside threads. */
  readonly shownIn?: string | undefined;
}

export function conversationOfPost(
  workspace: Workspace,
  chatId: string,
  { ts, thread_ts }: { readonly ts: string; readonly thread_ts?: string | null | undefined },
): SlackConversation {
  const isReply = typeof thread_ts === 'string' && thread_ts !== ts;
  // A root has its own `ts` as `thread_ts`, but is shown outside the thread.
  if (isReply) return { workspace, chatId, threadId: thread_ts, shownIn: thread_ts };
  return isDirect(chatId) ? { workspace, chatId } : { workspace, chatId, threadId: ts };
}

/** The conversation of a thread, or of the chat itself. */
export function slackConversation(
  workspace: Workspace,
  chatId: string,
  threadId: string | undefined,
): SlackConversation {
  return { workspace, chatId, threadId, shownIn: threadId };
}

export function conversationAt({ workspace, chatId, threadId }: SlackConversation, title?: string): Conversation {
  return {
    channel: 'slack',
    tenant: workspace.teamId,
    chatId,
    threadId,
    kind: isDirect(chatId) ? 'direct' : 'group',
    title: title || undefined,
  };
}

/** Ids of direct chats start with D; those of group direct messages do not. */
export function isDirect(chatId: string): boolean {
  return chatId.startsWith('D');
}
