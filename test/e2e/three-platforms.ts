import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DaemonProcess } from '../support/daemon-process.ts';
import { DiscordServer } from '../support/discord-server.ts';
import { ModelServer } from '../support/model-server.ts';
import { SlackServer } from '../support/slack-server.ts';
import { TelegramServer } from '../support/telegram-server.ts';
import { daemonConfig, modelEnvironment, variable } from './daemon-config.ts';

const onTelegram = 42;
const onDiscord = '100000000000000001';

/** A daemon that talks with its owner on three platforms, and whose tokens stand in `.env`. */
export class ThreePlatforms {
  readonly telegram: TelegramServer;
  readonly slack: SlackServer;
  readonly discord: DiscordServer;
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  readonly #onSlack: string;

  private constructor(telegram: TelegramServer, slack: SlackServer, discord: DiscordServer, model: ModelServer) {
    this.telegram = telegram;
    this.slack = slack;
    this.discord = discord;
    this.model = model;
    this.#onSlack = slack.home.addDirect('U0OWNER');
    const variables = this.#variables(telegram.token);
    this.daemon = DaemonProcess.start({ config: this.config(), env: modelEnvironment, variables });
  }

  /** Resolves when it receives on all of them. */
  static async start(): Promise<ThreePlatforms> {
    // Slack says again after a minute what nobody was there for; here after a second.
    const slack = SlackServer.start({ retryScale: 0.02 });
    const servers = [TelegramServer.start(), slack, DiscordServer.start(), ModelServer.start()] as const;
    const setting = new ThreePlatforms(...(await Promise.all(servers)));
    await setting.#receives();
    return setting;
  }

  async restart(): Promise<void> {
    await this.daemon.kill();
    const { polls } = this.telegram;
    await this.daemon.restart();
    await this.#receives(polls);
  }

  async #receives(polls = 0): Promise<void> {
    const { telegram, slack, discord } = this;
    await telegram.waitFor(() => telegram.polls > polls);
    // The second socket comes later.
    await slack.waitFor(() => slack.sockets.count > 0);
    await discord.waitUntilReady();
  }

  async dispose(): Promise<void> {
    await this.daemon.dispose();
    await Promise.all([this.telegram.close(), this.slack.close(), this.discord.close(), this.model.close()]);
  }

  /** The config, with these keys beside the rest or in their place. */
  config(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const { telegram, slack, discord, model } = this;
    const channels = {
      terminal: { enabled: false },
      telegram: { enabled: true, token: variable('TELEGRAM'), api_root: telegram.root },
      slack: {
        enabled: true,
        api_url: slack.apiUrl,
        bot_token: variable('SLACK_BOT'),
        app_token: variable('SLACK_APP'),
      },
      discord: { enabled: true, api_url: discord.apiUrl, token: variable('DISCORD') },
    };
    const owners = [
      `telegram:${onTelegram}`,
      `slack:${slack.home.installation.teamId}/U0OWNER`,
      `discord:${onDiscord}`,
    ];
    const delivery = { max_messages: 2, ambiguous_retry_after_ms: 200 };
    return daemonConfig({ model, owners, channels, config: { delivery, ...more } });
  }

  writeVariables(token: string): void {
    writeFileSync(join(this.daemon.folder, '.env'), this.#variables(token));
  }

  #variables(token: string): string {
    const { slack, discord } = this;
    const variables = { TELEGRAM: token, SLACK_BOT: slack.botToken, SLACK_APP: slack.appToken, DISCORD: discord.token };
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    return lines.join('');
  }

  /** How often Telegram was begun with, how many connections of Slack have ended, and how often Discord was connected to. */
  get connections(): readonly number[] {
    const { telegram, slack, discord } = this;
    const ended = slack.sockets.opened - slack.sockets.count;
    return [telegram.callsOf('getMe').length, ended, discord.gateway.identifies.length];
  }

  /** The owner says something there, and waits for the answer. */
  async asks(
    words: string,
    wanted: string | RegExp,
    where: 'telegram' | 'slack' | 'discord' = 'telegram',
  ): Promise<void> {
    this.says(words, where);
    await this.sees(wanted, where);
  }

  says(words: string, where: 'telegram' | 'slack' | 'discord' = 'telegram'): void {
    if (where === 'telegram') this.telegram.say(onTelegram, words);
    if (where === 'slack') this.slack.say(this.#onSlack, words);
    if (where === 'discord') this.discord.say(this.discord.direct(onDiscord), words);
  }

  async sees(wanted: string | RegExp, where: 'telegram' | 'slack' | 'discord' = 'telegram'): Promise<void> {
    if (where === 'telegram') await this.telegram.waitForMessage(onTelegram, wanted);
    if (where === 'slack') await this.slack.waitForMessage(this.#onSlack, wanted);
    if (where === 'discord') await this.discord.waitForMessage(this.discord.direct(onDiscord), wanted);
  }

  /** All that stands in the owner's chats. */
  shown(): readonly string[] {
    const messages = [...this.#telegramChat(), ...this.#slackChat(), ...this.#discordChat()];
    return messages.map(({ text }) => text);
  }

  /** What the files there hold. */
  files(): readonly string[] {
    const files = [
      ...this.#telegramChat().flatMap(({ file }) => file ?? []),
      ...this.#slackChat().flatMap((message) => message.files),
      ...this.#discordChat().flatMap((message) => message.files),
    ];
    return files.map(({ bytes }) => Buffer.from(bytes).toString());
  }

  #telegramChat() {
    return this.telegram.chat(onTelegram);
  }

  #slackChat() {
    return this.slack.chat(this.#onSlack);
  }

  #discordChat() {
    return this.discord.chat(this.discord.direct(onDiscord));
  }
}
