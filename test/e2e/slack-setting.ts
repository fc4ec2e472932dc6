import type { ShownMessage } from '../support/slack/shown-message.ts';
import { SlackServer, type SlackServerOptions } from '../support/slack-server.ts';
import { patienceMs } from '../support/wait-for.ts';
import { variable } from './daemon-config.ts';
import { platformSetting, type SettingOptions, saidIn, shows } from './platform-setting.ts';

export interface SlackSettingOptions extends SettingOptions<SlackServer> {
  /** Stands in the channel's block beside the tokens and the address. */
  readonly channel?: Readonly<Record<string, unknown>>;
  readonly server?: SlackServerOptions;
}

/** A channel that the config lets the bot talk in, where everybody may talk to it. */
export const team = 'C0TEAM';

export type SlackSetting = Awaited<ReturnType<typeof start>>;
export const SlackSetting = { start } as const;

/** Resolves when the daemon receives, unless it was prepared otherwise. */
async function start({ channel = {}, server, ...options }: SlackSettingOptions = {}) {
  const slack = await SlackServer.start(server);
  const { installation } = slack.home;
  slack.home.addChannel(team, { name: 'team' });
  const setting = await platformSetting(
    {
      name: 'slack',
      server: slack,
      block: {
        api_url: slack.apiUrl,
        bot_token: variable('TEST_SLACK_BOT_TOKEN'),
        app_token: variable('TEST_SLACK_APP_TOKEN'),
        signing_secret: variable('TEST_SLACK_SECRET'),
        groups: { [team]: { allow_from: ['*'] } },
        ...channel,
      },
      env: {
        TEST_SLACK_BOT_TOKEN: slack.botToken,
        TEST_SLACK_APP_TOKEN: slack.appToken,
        TEST_SLACK_SECRET: installation.signingSecret,
      },
      received: () => slack.sockets.opened,
      // Tests talk with them in their direct conversation with the bot.
      owner: (index) => ({
        principal: `${installation.teamId}/${ownerId(index)}`,
        make: () => slack.home.addDirect(ownerId(index)),
      }),
    },
    options,
  );

  return {
    ...setting,
    slack,
    said: (channel: string) => saidIn(slack.chat(channel)),
    /** Says something, and waits for the card that asks for an approval because of it. */
    askFor(channel: string, text: string): Promise<ShownMessage> {
      const before = slack.chat(channel).at(-1)?.ts ?? '';
      slack.say(channel, text);
      const isCard = ({ ts, buttons }: ShownMessage): boolean => ts > before && buttons.length > 0;
      return slack.waitFor(() => slack.chat(channel).find(isCard), { what: `a card in ${channel}` });
    },
    /** Waits until a message of the bot in the conversation shows this. */
    shows(channel: string, wanted: string | RegExp, timeoutMs = patienceMs): Promise<ShownMessage> {
      const look = (): ShownMessage | undefined =>
        slack.chat(channel).findLast(({ from, text }) => from === 'bot' && shows(text, wanted));
      return slack.waitFor(look, { what: `${wanted} in ${channel}`, timeoutMs });
    },
  };
}

/** The user id of an owner, from 0 on. */
export function ownerId(index: number): string {
  return `U0OWNER${String(index).padStart(2, '0')}`;
}
