import { SlackServer, type SlackServerOptions } from '../../packages/fakes/src/slack-server.ts';
import { variable } from './daemon-config.ts';
import { platformSetting, type SettingOptions } from './platform-setting.ts';

export interface SlackSettingOptions extends SettingOptions<SlackServer> {
  /** Stands in the channel's block beside the tokens and the address. */
  readonly channel?: Readonly<Record<string, unknown>>;
  readonly server?: SlackServerOptions;
}

export type SlackSetting = Awaited<ReturnType<typeof start>>;
export const SlackSetting = { start } as const;

/** Resolves when the daemon receives, unless it was prepared otherwise. */
async function start({ channel = {}, server, ...options }: SlackSettingOptions = {}) {
  const slack = await SlackServer.start(server);
  const { installation } = slack.home;
  const setting = await platformSetting(
    {
      name: 'slack',
      server: slack,
      block: {
        api_url: slack.apiUrl,
        bot_token: variable('TEST_SLACK_BOT_TOKEN'),
        app_token: variable('TEST_SLACK_APP_TOKEN'),
        signing_secret: variable('TEST_SLACK_SECRET'),
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

  return { ...setting, slack };
}

/** The user id of an owner, from 0 on. */
function ownerId(index: number): string {
  return `U0OWNER${String(index).padStart(2, '0')}`;
}
