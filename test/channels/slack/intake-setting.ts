import { onTestFinished } from 'vitest';
import { SlackApi } from '../../../channels/slack/api.ts';
import { createIntake, type SlackIntake } from '../../../channels/slack/intake.ts';
import type { Writer } from '../../../channels/slack/people.ts';
import { settings } from '../../../channels/slack/settings.ts';
import { Workspaces } from '../../../channels/slack/workspaces.ts';
import type { Delivery } from '../../../packages/fakes/src/slack/deliveries.ts';
import type { WorkspaceOptions } from '../../../packages/fakes/src/slack/workspace-options.ts';
import { SlackServer } from '../../../packages/fakes/src/slack-server.ts';
import type { InboundMessage } from '../../../src/contract.ts';
import { Background } from '../../../src/lib/background.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import { RecordingHost } from '../../support/recording-host.ts';

export const ada = 'U0000000A';
export const bob = 'U0000000B';
export const team = 'T00000001';
export const bot = 'U0BOT0001';
export const general = 'C00000001';

/** What comes in from a fake Slack, without a connection: the test hands over what Slack would deliver. */
export class IntakeSetting {
  /** Itself, for tests that take it apart. */
  readonly setting = this;
  readonly slack: SlackServer;
  readonly host = new RecordingHost();
  readonly workspaces = new Workspaces();
  readonly background = new Background(this.host.log);
  readonly urls = new Remembered<string, string>(10);
  readonly writers = new Remembered<string, Writer>(10);
  readonly intake: SlackIntake;
  /** Ada's chat with the bot. */
  readonly direct: string;

  constructor(slack: SlackServer, overrides: object) {
    this.slack = slack;
    for (const { installation } of slack.workspaces) {
      const { botToken, teamId, name, botUserId, botId, botName } = installation;
      const api = new SlackApi({ token: botToken, apiUrl: slack.apiUrl, requestTimeoutSecs: 5 });
      this.workspaces.judge(botToken, 'good', { teamId, name, botUserId, botId, botName, api });
    }
    const { host, workspaces, urls, writers } = this;
    const checked = settings.parse({ api_url: slack.apiUrl, ...overrides });
    const { background } = this;
    this.intake = createIntake(checked, host, workspaces, { urls, writers, background });
    slack.home.addPerson({ id: ada, name: 'Ada', realName: 'Ada Lovelace' });
    slack.home.addPerson({ id: bob, name: 'Bob' });
    slack.home.addChannel(general, { name: 'general', members: [ada, bob] });
    this.direct = slack.home.addDirect(ada);
  }

  /** Takes all of it, in order, and resolves when that is stored. */
  async takes(...told: readonly { readonly deliveries: readonly Delivery[] }[]): Promise<void> {
    const deliveries = told.flatMap((one) => one.deliveries);
    await Promise.all(deliveries.map(({ payload }) => this.intake.take(payload)));
  }

  /** What Ada says in the channel, or elsewhere, as the host is told of it. */
  async hears(
    text: string,
    { channel = general, ...options }: Parameters<SlackServer['say']>[2] & { channel?: string } = {},
  ) {
    const said = this.slack.say(channel, text, { from: ada, ...options });
    await this.takes(said);
    return { ...said, message: this.last };
  }

  /** The newest message that the host was given. */
  get last(): InboundMessage {
    const message = this.host.received.findLast((event) => event.type === 'message');
    if (message === undefined) throw new Error(`Nothing was received:\n${this.host.logged.join('\n')}`);
    return message;
  }
}

export async function intakeSetting(
  overrides: object = {},
  workspaces: readonly WorkspaceOptions[] = [{}],
): Promise<IntakeSetting> {
  const slack = await SlackServer.start({ workspaces });
  onTestFinished(() => slack.close());
  return new IntakeSetting(slack, overrides);
}

/** An event as Slack delivers it, of a message of Ada's in the channel, with these fields. */
export function posted(fields: object, envelope: object = {}): object {
  const message = {
    type: 'message',
    channel: general,
    channel_type: 'channel',
    user: ada,
    team,
    ts: '1700000000.000100',
  };
  return {
    ...{ type: 'event_callback', team_id: team, event_id: 'Ev1', event_time: 1_700_000_000 },
    authorizations: [{ team_id: team, enterprise_id: null, user_id: bot, is_bot: true }],
    ...envelope,
    event: { ...message, ...fields },
  };
}
