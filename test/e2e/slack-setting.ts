import type { z } from 'zod';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import type { ShownMessage } from '../support/slack/shown-message.ts';
import { SlackServer, type SlackServerOptions } from '../support/slack-server.ts';
import { patienceMs } from '../support/wait-for.ts';
import { daemonConfig, modelEnvironment, variable } from './daemon-config.ts';
import { daemonRows } from './daemon-rows.ts';

export interface SlackSettingOptions {
  /** Stands in the config beside the model and the channel, or in their place. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Stands in the channel's block beside the tokens and the address. */
  readonly channel?: Readonly<Record<string, unknown>>;
  readonly server?: SlackServerOptions;
  /** Where the process dies: see `crashing-main.ts`. */
  readonly crashAt?: string;
  /** Does something to the server before the daemon starts. Then nobody waits for the daemon to connect. */
  readonly prepare?: (slack: SlackServer) => void;
}

/** Owners in the config of every setting: a test takes one whom no other test takes, and so has a chat of its own. */
const ownerCount = 60;

/** A channel that the config lets the bot talk in, where everybody may talk to it. */
export const team = 'C0TEAM';

/** The daemon as a process of its own, between a Slack and a model that speak the real protocols. */
export class SlackSetting {
  readonly slack: SlackServer;
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  #owners = 0;

  private constructor(slack: SlackServer, model: ModelServer, daemon: DaemonProcess) {
    this.slack = slack;
    this.model = model;
    this.daemon = daemon;
  }

  /** Resolves when the daemon receives, unless it was prepared otherwise. */
  static async start(options: SlackSettingOptions = {}): Promise<SlackSetting> {
    const [slack, model] = await Promise.all([SlackServer.start(options.server), ModelServer.start()]);
    slack.home.addChannel(team, { name: 'team' });
    options.prepare?.(slack);
    const daemon = DaemonProcess.start({
      config: configOf(slack, model, options),
      crashAt: options.crashAt,
      env: {
        ...modelEnvironment,
        TEST_SLACK_BOT_TOKEN: slack.botToken,
        TEST_SLACK_APP_TOKEN: slack.appToken,
        TEST_SLACK_SECRET: slack.home.installation.signingSecret,
      },
    });
    const setting = new SlackSetting(slack, model, daemon);
    if (options.prepare === undefined) await setting.connected();
    return setting;
  }

  async dispose(): Promise<void> {
    await this.daemon.dispose();
    await Promise.all([this.slack.close(), this.model.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Resolves when more sockets were opened than that. */
  async connected(opened = 0): Promise<void> {
    const { sockets } = this.slack;
    await this.slack.waitFor(() => sockets.opened > opened, { what: 'a socket' });
  }

  /** Kills the process and starts it again. Resolves when it receives. */
  async restart(): Promise<void> {
    await this.daemon.kill();
    const { opened } = this.slack.sockets;
    await this.daemon.restart();
    await this.connected(opened);
  }

  /** An owner: their direct conversation with the bot. */
  newOwner(): string {
    if (this.#owners === ownerCount) throw new Error('There are no more owners in the config of the setting.');
    this.#owners += 1;
    return this.slack.home.addDirect(ownerId(this.#owners - 1));
  }

  /** What the bot has said in the conversation, the oldest first. */
  said(channel: string): readonly string[] {
    return this.slack
      .chat(channel)
      .filter(({ from }) => from === 'bot')
      .map(({ text }) => text);
  }

  /** Says something, and waits for the card that asks for an approval because of it. */
  askFor(channel: string, text: string): Promise<ShownMessage> {
    const before = this.slack.chat(channel).at(-1)?.ts ?? '';
    this.slack.say(channel, text);
    const isCard = ({ ts, buttons }: ShownMessage): boolean => ts > before && buttons.length > 0;
    return this.slack.waitFor(() => this.slack.chat(channel).find(isCard), { what: `a card in ${channel}` });
  }

  /** Waits until a message of the bot in the conversation shows this. */
  shows(channel: string, wanted: string | RegExp, timeoutMs = patienceMs): Promise<ShownMessage> {
    const matches = (text: string): boolean => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
    const look = (): ShownMessage | undefined =>
      this.slack.chat(channel).findLast(({ from, text }) => from === 'bot' && matches(text));
    return this.slack.waitFor(look, { what: `${wanted} in ${channel}`, timeoutMs });
  }

  rows<Shape extends z.ZodType>(shape: Shape, sql: string, ...parameters: unknown[]): readonly z.output<Shape>[] {
    return daemonRows(this.daemon, shape, sql, ...parameters);
  }
}

/** The user id of an owner, from 0 on. */
export function ownerId(index: number): string {
  return `U0OWNER${String(index).padStart(2, '0')}`;
}

function configOf(
  slack: SlackServer,
  model: ModelServer,
  { config = {}, channel = {} }: SlackSettingOptions,
): Record<string, unknown> {
  const { teamId } = slack.home.installation;
  const block = {
    enabled: true,
    api_url: slack.apiUrl,
    bot_token: variable('TEST_SLACK_BOT_TOKEN'),
    app_token: variable('TEST_SLACK_APP_TOKEN'),
    signing_secret: variable('TEST_SLACK_SECRET'),
    groups: { [team]: { allow_from: ['*'] } },
    ...channel,
  };
  const owners = Array.from({ length: ownerCount }, (_, index) => `slack:${teamId}/${ownerId(index)}`);
  return daemonConfig({ model, owners, channels: { slack: block }, config });
}
