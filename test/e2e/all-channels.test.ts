import { expect, test } from 'vitest';
import { DaemonProcess } from '../support/daemon-process.ts';
import { DiscordServer } from '../support/discord-server.ts';
import { ModelServer } from '../support/model-server.ts';
import { SlackServer } from '../support/slack-server.ts';
import { TelegramServer } from '../support/telegram-server.ts';
import { daemonConfig, modelEnvironment } from './daemon-config.ts';

const long = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ');

test('one process talks on all platforms, and sends texts and files on each', async () => {
  const [telegram, slack, discord, model] = await Promise.all([
    TelegramServer.start(),
    SlackServer.start(),
    DiscordServer.start(),
    ModelServer.start(),
  ]);
  const { teamId } = slack.home.installation;
  const ada = '100000000000000001';
  const channels = {
    terminal: { enabled: false },
    telegram: { enabled: true, token: telegram.token, api_root: telegram.root },
    slack: { enabled: true, api_url: slack.apiUrl, bot_token: slack.botToken, app_token: slack.appToken },
    discord: { enabled: true, api_url: discord.apiUrl, token: discord.token },
  };
  const owners = ['telegram:42', `slack:${teamId}/U0OWNER`, `discord:${ada}`];
  const config = daemonConfig({ model, owners, channels, config: { delivery: { max_messages: 2 } } });
  const daemon = DaemonProcess.start({ config, env: modelEnvironment });
  try {
    model.onUser('tell me all', long);
    const [onSlack, onDiscord] = [slack.home.addDirect('U0OWNER'), discord.direct(ada)];
    await telegram.waitFor(() => telegram.polls > 0);
    await slack.waitFor(() => slack.sockets.count > 0);
    await discord.waitUntilReady();
    for (const text of ['hello', 'tell me all']) {
      telegram.say(42, text);
      slack.say(onSlack, text);
      discord.say(onDiscord, text);
      const wanted = text === 'hello' ? /echo: hello/ : /word0 word1/;
      await telegram.waitForMessage(42, wanted);
      await slack.waitForMessage(onSlack, wanted);
      await discord.waitForMessage(onDiscord, wanted);
    }
    const files = () => [
      telegram.chat(42).flatMap(({ file }) => (file === undefined ? [] : [Buffer.from(file.bytes).toString()])),
      slack.chat(onSlack).flatMap((message) => message.files.map(({ bytes }) => bytes.toString())),
      discord.chat(onDiscord).flatMap((message) => message.files.map(({ bytes }) => bytes.toString())),
    ];
    const describe = (): string => daemon.output;
    await slack.waitFor(() => slack.chat(onSlack).some((message) => message.files.length > 0), { describe });
    await telegram.waitFor(() => telegram.chat(42).some(({ file }) => file !== undefined), { describe });
    await discord.waitFor(() => discord.chat(onDiscord).some((message) => message.files.length > 0), { describe });
    expect(files()).toEqual([[long], [long], [long]]);
  } finally {
    await daemon.dispose();
    await Promise.all([telegram.close(), slack.close(), discord.close(), model.close()]);
  }
});
