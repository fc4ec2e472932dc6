import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';
import { ended } from '../words.ts';

/** What `keyturn doctor` says of the platforms. */
export const platformWords = catalogue({
  en: {
    channelOk: ({ bot }: { readonly bot: string }) => `the token is that of ${bot}`,
    tokenRefused: {
      what: ({ platform, why }: TokenFault) => `${platform} refuses the token (${why}).`,
      why: () => 'Nobody can talk to Keyturn there.',
      mend: ({ platform }: TokenFault): string =>
        platform === 'Telegram'
          ? `Ask @BotFather for it: /mybots → the bot → API Token. ${ownCommand()} setup takes it; or put it into .env.`
          : platform === 'Discord'
            ? `discord.com/developers → the application → Bot → Reset Token. ${ownCommand()} setup takes it; or put it into .env.`
            : `api.slack.com/apps → the app → OAuth & Permissions. Install it again. ${ownCommand()} setup takes the token; or put it into .env.`,
    },
    platformUnreached: {
      what: ({ platform, why }: TokenFault) => `${platform} cannot be reached: ${ended(why)}`,
      why: () => 'Nothing comes in from there, and nothing goes out.',
      mend: () => 'Look at the network and at network.proxy; some networks block it.',
    },
    platformFault: {
      what: ({ platform, why }: TokenFault) => `${platform} answers with a fault (${why}).`,
      why: () => 'Nothing comes in from there, and nothing goes out.',
      mend: ({ platform }: TokenFault) => `Try again in some minutes; the status page of ${platform} says more.`,
    },
    webhookSet: {
      what: ({ url }: { readonly url: string }) => `A webhook is set for the bot: ${url}.`,
      why: () => 'Telegram sends all messages there, and none to Keyturn.',
      mend: () =>
        'Stop the program that set it, and start Keyturn, which removes it; or use another bot for one of them.',
    },
    otherPoller: {
      what: () => 'Another program reads the messages of this bot.',
      why: () => 'Each message reaches only one of them.',
      mend: () =>
        'Stop the other one; or make a second bot with @BotFather. /revoke there makes the old token useless.',
    },
    privacyMode: {
      what: ({ groups }: { readonly groups: readonly string[] }) =>
        `The bot is in privacy mode, and the config wants it to hear all in ${groups.join(', ')}.`,
      why: () => 'Telegram sends it only commands and what mentions it there.',
      mend: () => '@BotFather → /setprivacy → the bot → Disable; then remove it from each group and add it again.',
    },
    scopesMissing: {
      what: ({ scopes }: { readonly scopes: readonly string[] }) => `The Slack app lacks scopes: ${scopes.join(', ')}.`,
      why: () => 'What needs them is refused: to hear, to answer, or to fetch files.',
      mend: () =>
        'Paste channels/slack/manifest.json under App Manifest at api.slack.com/apps, and install the app again.',
    },
    appTokenRefused: {
      what: ({ why }: { readonly why: string }) => `Slack refuses the app token (${why}).`,
      why: () => 'Without a socket, no message comes in.',
      mend: () =>
        'api.slack.com/apps → Basic Information → App-Level Tokens: make one with connections:write; switch Socket Mode on.',
    },
    intentMissing: {
      what: () => 'The Discord application may not read the content of messages.',
      why: () => 'Discord refuses the connection, so nobody can talk to Keyturn there.',
      mend: () => 'discord.com/developers → the application → Bot → Message Content Intent: switch it on, and save.',
    },
  },
  zh: {
    channelOk: ({ bot }) => `令牌属于 ${bot}`,
    tokenRefused: {
      what: ({ platform, why }) => `${platform} 拒绝这个令牌（${why}）。`,
      why: () => '没有人能在那里和 Keyturn 对话。',
      mend: ({ platform }) =>
        platform === 'Telegram'
          ? `向 @BotFather 要：/mybots → 机器人 → API Token。交给 ${ownCommand()} setup，或写进 .env。`
          : platform === 'Discord'
            ? `discord.com/developers → 应用 → Bot → Reset Token。交给 ${ownCommand()} setup，或写进 .env。`
            : `api.slack.com/apps → 应用 → OAuth & Permissions。重新安装，把令牌交给 ${ownCommand()} setup，或写进 .env。`,
    },
    platformUnreached: {
      what: ({ platform, why }) => `无法连接 ${platform}：${ended(why, '。')}`,
      why: () => '收不到那里的消息，也发不出去。',
      mend: () => '检查网络和 network.proxy；有些网络会屏蔽它。',
    },
    platformFault: {
      what: ({ platform, why }) => `${platform} 出错（${why}）。`,
      why: () => '收不到那里的消息，也发不出去。',
      mend: ({ platform }) => `过几分钟再试；${platform} 的状态页有更多说明。`,
    },
    webhookSet: {
      what: ({ url }) => `这个机器人设置了 webhook：${url}。`,
      why: () => 'Telegram 把所有消息发到那里，不发给 Keyturn。',
      mend: () => '停掉设置它的程序，再启动 Keyturn，它会删除 webhook；或者给其中一个换个机器人。',
    },
    otherPoller: {
      what: () => '另一个程序也在读取这个机器人的消息。',
      why: () => '每条消息只会到其中一个。',
      mend: () => '停掉另一个；或用 @BotFather 再建一个机器人。那里的 /revoke 能让拿到令牌的人失效。',
    },
    privacyMode: {
      what: ({ groups }) => `机器人处于隐私模式，而配置要它听 ${groups.join('、')} 的所有消息。`,
      why: () => 'Telegram 只把命令和提到它的消息发给它。',
      mend: () => '@BotFather → /setprivacy → 机器人 → Disable；然后把它移出每个群，再加回来。',
    },
    scopesMissing: {
      what: ({ scopes }) => `Slack 应用缺少权限：${scopes.join('、')}。`,
      why: () => '需要这些权限的事会被拒绝：收消息、回答或取文件。',
      mend: () => '把 channels/slack/manifest.json 粘贴到 api.slack.com/apps 的 App Manifest，再重新安装应用。',
    },
    appTokenRefused: {
      what: ({ why }) => `Slack 拒绝应用令牌（${why}）。`,
      why: () => '没有 socket 就收不到消息。',
      mend: () =>
        'api.slack.com/apps → Basic Information → App-Level Tokens：新建一个带 connections:write 的；打开 Socket Mode。',
    },
    intentMissing: {
      what: () => 'Discord 应用没有读取消息内容的权限。',
      why: () => 'Discord 会拒绝连接，没有人能在那里和 Keyturn 对话。',
      mend: () => 'discord.com/developers → 应用 → Bot → Message Content Intent：打开并保存。',
    },
  },
});

interface TokenFault {
  readonly platform: string;
  readonly why: string;
}
