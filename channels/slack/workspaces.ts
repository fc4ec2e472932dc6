import { ChannelError, type Conversation } from '../../src/contract.ts';
import type { SlackApi } from './web-api/api.ts';

/** A workspace of Slack in which the app is installed, and what we are called there. */
export interface Workspace {
  readonly teamId: string;
  readonly name: string;
  /** As whom the bot is mentioned: `U0123ABCD`. */
  readonly botUserId: string;
  /** What stands in the messages that the bot writes: `B0123ABCD`. */
  readonly botId: string;
  /** The bot's name, for people to read. */
  readonly botName: string;
  readonly appId?: string;
  readonly url: string;
  /** What the operator has granted. Left out where Slack does not say. */
  readonly scopes?: ReadonlySet<string>;
  readonly api: SlackApi;
}

/** The workspaces whose tokens were seen to be good, in the order in which the tokens stand in the config. */
export class Workspaces {
  /** By their tokens. Undefined where it is being found out. */
  readonly #byToken = new Map<string, Workspace | undefined>();

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
    if (this.isIncomplete || tenant === undefined)
      throw new ChannelError({ type: 'transient' }, 'Slack has not said yet to which workspace the bot token belongs');
    throw new ChannelError(
      { type: 'permanent' },
      `There is no bot token for the workspace ${tenant}: put one into channels.slack.more_bot_tokens`,
    );
  }

  /** The bot token of a workspace that was added. */
  tokenOf({ teamId }: Workspace): string {
    const [token = ''] = [...this.#byToken].find(([, workspace]) => workspace?.teamId === teamId) ?? [];
    return token;
  }

  /** It is being found out where this token belongs. What was known of it holds until then. */
  expect(token: string): void {
    this.#byToken.set(token, this.#byToken.get(token));
  }

  /** This token is of no use. */
  giveUp(token: string): void {
    this.#byToken.delete(token);
  }

  add(token: string, workspace: Workspace): void {
    this.#byToken.set(token, workspace);
  }
}
