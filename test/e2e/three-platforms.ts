import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import { SlackServer } from '../../packages/fakes/src/slack-server.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import { daemonConfig, modelEnvironment, variable } from './daemon-config.ts';

const onTelegram = 42;
const onDiscord = '100000000000000001';

export type ThreePlatforms = Awaited<ReturnType<typeof start>>;
export const ThreePlatforms = { start } as const;

/** A daemon that talks with its owner on three platforms, and whose tokens stand in `.env`. It receives on all of them. */
async function start() {
  // Slack says again after a minute what nobody was there for; here after a second.
  const servers = [TelegramServer.start(), SlackServer.start({ retryScale: 0.02 }), DiscordServer.start()] as const;
  const [telegram, slack, discord] = await Promise.all(servers);
  const model = await ModelServer.start();
  const onSlack = slack.home.addDirect('U0OWNER');
  const inDiscord = discord.direct(onDiscord);
  const daemon = DaemonProcess.start({ config: config(), env: modelEnvironment, variables: variables(telegram.token) });

  /** Where the owner talks on each. */
  const places = {
    telegram: {
      says: (words: string) => telegram.say(onTelegram, words),
      sees: (wanted: string | RegExp) => telegram.waitForMessage(onTelegram, wanted),
    },
    slack: {
      says: (words: string) => slack.say(onSlack, words),
      sees: (wanted: string | RegExp) => slack.waitForMessage(onSlack, wanted),
    },
    discord: {
      says: (words: string) => discord.say(inDiscord, words),
      sees: (wanted: string | RegExp) => discord.waitForMessage(inDiscord, wanted),
    },
  } as const;
  type Place = keyof typeof places;

  async function receives(polls = 0): Promise<void> {
    await telegram.waitFor(() => telegram.polls > polls);
    // The second socket comes later.
    await slack.waitFor(() => slack.sockets.count > 0);
    await discord.waitUntilReady();
  }

  /** The config, with these keys beside the rest or in their place. */
  function config(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const tokens = { bot_token: variable('SLACK_BOT'), app_token: variable('SLACK_APP') };
    const channels = {
      terminal: { enabled: false },
      telegram: { enabled: true, token: variable('TELEGRAM'), api_root: telegram.root },
      slack: { enabled: true, api_url: slack.apiUrl, ...tokens },
      discord: { enabled: true, api_url: discord.apiUrl, token: variable('DISCORD') },
    };
    const { teamId } = slack.home.installation;
    const owners = [`telegram:${onTelegram}`, `slack:${teamId}/U0OWNER`, `discord:${onDiscord}`];
    const delivery = { max_messages: 2, ambiguous_retry_after_ms: 200 };
    return daemonConfig({ model, owners, channels, config: { delivery, ...more } });
  }

  function variables(token: string): string {
    const named = { TELEGRAM: token, SLACK_BOT: slack.botToken, SLACK_APP: slack.appToken, DISCORD: discord.token };
    const lines = Object.entries(named).map(([name, value]) => `${name}=${value}\n`);
    return lines.join('');
  }

  function says(words: string, where: Place = 'telegram'): void {
    places[where].says(words);
  }

  async function sees(wanted: string | RegExp, where: Place = 'telegram'): Promise<void> {
    await places[where].sees(wanted);
  }

  await receives();
  return {
    ...{ telegram, slack, model, daemon, config, says, sees },

    /** The owner says something there, and waits for the answer. */
    async asks(words: string, wanted: string | RegExp, where?: Place): Promise<void> {
      says(words, where);
      await sees(wanted, where);
    },

    async restart(): Promise<void> {
      await daemon.kill();
      const { polls } = telegram;
      await daemon.restart();
      await receives(polls);
    },

    async dispose(): Promise<void> {
      await daemon.dispose();
      await Promise.all([telegram, slack, discord, model].map((server) => server.close()));
    },

    writeVariables: (token: string) => writeFileSync(join(daemon.folder, '.env'), variables(token)),

    /** How often Telegram was begun with, how many connections of Slack have ended, and how often Discord was connected to. */
    get connections(): readonly number[] {
      const ended = slack.sockets.opened - slack.sockets.count;
      return [telegram.callsOf('getMe').length, ended, discord.gateway.identifies.length];
    },

    /** All that stands in the owner's chats. */
    shown(): readonly string[] {
      const messages = [...telegram.chat(onTelegram), ...slack.chat(onSlack), ...discord.chat(inDiscord)];
      return messages.map(({ text }) => text);
    },

    /** What the files there hold. */
    files(): readonly string[] {
      const onTheOthers = [...slack.chat(onSlack), ...discord.chat(inDiscord)].flatMap(({ files }) => [...files]);
      const files = [...telegram.chat(onTelegram).flatMap(({ file }) => file ?? []), ...onTheOthers];
      return files.map(({ bytes }) => Buffer.from(bytes).toString());
    },
  };
}
