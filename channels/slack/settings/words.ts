import { catalogue } from '../../../src/lib/words.ts';

/** A token of the app, and whether the other kind was found in its place. */
interface Token {
  readonly kind: 'bot' | 'app';
  readonly isOther: boolean;
}

const id =
  'Only an id (or "*" for everyone) is accepted here: names can change hands, ids cannot. It has two parts, the workspace and the member: "T0123ABCD/U0123ABCD". To find it, let the person write to the bot: it answers a stranger with their id, as slack:T0123ABCD/U0123ABCD. The part after the colon goes here.';
const chineseId =
  '这里只接受 id（或用 "*" 表示所有人）：名称可能换主人，id 不会。它由工作区和成员两部分组成："T0123ABCD/U0123ABCD"。要找到它，让这个人给机器人发消息：它会把陌生人的 id 告诉对方，形如 slack:T0123ABCD/U0123ABCD。把冒号后面的部分写在这里。';

/** What is wrong with a value under `channels.slack`. */
export const slackSettingWords = catalogue({
  en: {
    id,
    commander: `"owner" or "*", or an id. ${id}`,
    group:
      'A channel is named by its id, which Slack shows at the end of "View channel details": "C0123ABCD". With its workspace it is "T0123ABCD/C0123ABCD"; the workspace alone, "T0123ABCD", means all of its channels.',
    path: 'Write a path that begins with a slash, such as "/slack/events".',
    moreTokens: 'A bot token begins with "xoxb-".',
    apiUrl: 'Write the address of the Web API, such as "https://slack.com/api/".',
    command: 'Write the slash command as in the manifest, such as "/keyturn".',
    token: ({ kind, isOther }: Token) => {
      const other = kind === 'bot' ? 'app' : 'bot';
      const what = isOther
        ? `This is the ${other} token: it belongs in ${other}_token`
        : `This is not the ${kind} token`;
      return `${what}. Take the ${kind} token from api.slack.com/apps → your app → ${tokenPlaces[kind]}.`;
    },
    secret:
      'This is not a signing secret, which is a row of hexadecimal digits: api.slack.com/apps → your app → Basic Information → App Credentials.',
  },
  zh: {
    id: chineseId,
    commander: `"owner"、"*" 或 id。${chineseId}`,
    group:
      '频道用 id 表示，Slack 在 "View channel details" 的末尾显示它："C0123ABCD"。加上工作区是 "T0123ABCD/C0123ABCD"；只写工作区 "T0123ABCD" 表示其中所有频道。',
    path: '写以斜杠开头的路径，例如 "/slack/events"。',
    moreTokens: '机器人令牌以 "xoxb-" 开头。',
    apiUrl: '写 Web API 的地址，例如 "https://slack.com/api/"。',
    command: '按 manifest 中的写法写斜杠命令，例如 "/keyturn"。',
    token: ({ kind, isOther }) => {
      const names = { bot: '机器人令牌', app: '应用令牌' };
      const other = kind === 'bot' ? 'app' : 'bot';
      const what = isOther ? `这是${names[other]}：它应写在 ${other}_token` : `这不是${names[kind]}`;
      return `${what}。${names[kind]}在 api.slack.com/apps → 你的应用 → ${tokenPlaces[kind]}。`;
    },
    secret:
      '这不是签名密钥，它是一串十六进制数字：api.slack.com/apps → 你的应用 → Basic Information → App Credentials。',
  },
});

/** Where Slack shows the tokens, in its own words. */
const tokenPlaces = {
  bot: 'OAuth & Permissions → Bot User OAuth Token ("xoxb-…")',
  app: 'Basic Information → App-Level Tokens ("xapp-…")',
} as const;
