import { catalogue } from '../../../src/lib/words.ts';

/** What is wrong with a value under `channels.telegram`. */
export const telegramSettingWords = catalogue({
  en: {
    idInQuotes: 'Write the id in quotes: "123456789".',
    id: 'Only a numeric id (or "*" for everyone) is accepted here: a name like @ada can change hands, an id cannot. To find the id, let the person write to the bot: it answers a stranger with their id, as telegram:123456789. The number goes here.',
    commander: 'Only numeric ids, "owner" or "*" are accepted here: a name like @ada can change hands, an id cannot.',
    group: 'A group is named by its numeric chat id, which begins with "-": "-1001234567890".',
    language: 'expected two small letters for a language, such as "de", by ISO 639-1',
    command: 'expected the name of a command in small letters, such as "stop"',
    apiRoot: 'Write the address of a Bot API server, such as "https://api.telegram.org".',
    token:
      'This is not a bot token: one looks like 123456789:AAE… (digits, a colon, a secret). Talk to @BotFather in Telegram: /newbot makes a bot, /mybots shows the token of one that you have.',
  },
  zh: {
    idInQuotes: '把 id 写在引号中："123456789"。',
    id: '这里只接受数字 id（或用 "*" 表示所有人）：@ada 这样的名称可能换主人，id 不会。要找到 id，让这个人给机器人发消息：它会把陌生人的 id 告诉对方，形如 telegram:123456789。把其中的数字写在这里。',
    commander: '这里只接受数字 id、"owner" 或 "*"：@ada 这样的名称可能换主人，id 不会。',
    group: '群用数字聊天 id 表示，以 "-" 开头："-1001234567890"。',
    language: '应为表示语言的两个小写字母，例如 "de"（ISO 639-1）',
    command: '应为小写字母的命令名，例如 "stop"',
    apiRoot: '写 Bot API 服务器的地址，例如 "https://api.telegram.org"。',
    token:
      '这不是机器人令牌：令牌形如 123456789:AAE…（数字、冒号、密钥）。在 Telegram 中找 @BotFather：/newbot 创建机器人，/mybots 显示已有机器人的令牌。',
  },
});
