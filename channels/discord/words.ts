import type { ChannelHost, Sender } from '../../src/contract.ts';
import { catalogue } from '../../src/lib/words.ts';
import { languageFor } from '../kit/words.ts';

/** A place where the bot may not do something, and what it needs for it. */
export interface Lack {
  /** The channel's id, if it is about one. */
  readonly channel: string | undefined;
  /** What it was about to do. */
  readonly deed: 'react' | 'read' | 'unarchive' | 'write';
  /** Where an admin gives the bot all that it needs. */
  readonly invitation: string | undefined;
}

/** Where the operator finds the bot. */
const application = {
  en: 'discord.com/developers/applications → your application',
  zh: 'discord.com/developers/applications → 你的应用',
} as const;

/** The permissions for it besides seeing the channel, as Discord names them. */
const permissions = {
  en: {
    react: 'Read Message History, Add Reactions',
    read: 'Read Message History',
    unarchive: 'Manage Threads',
    write: 'Send Messages, Send Messages in Threads (in a thread), Read Message History, Attach Files (with a file)',
  },
  zh: {
    react: 'Read Message History, Add Reactions',
    read: 'Read Message History',
    unarchive: 'Manage Threads',
    write: 'Send Messages, Send Messages in Threads（子区内）, Read Message History, Attach Files（带文件时）',
  },
} as const;

/** A field that Discord refuses, and its code for that. */
export interface Mistake {
  /** Empty: all of the request. */
  readonly path: string;
  readonly code: string;
}

interface Refused {
  /** Discord's own words. */
  readonly message: string;
  readonly mistakes: readonly Mistake[];
}

interface Refusal {
  readonly why: string;
  /** 0: it gives none. */
  readonly code: number;
}

/** Of Discord's words, in characters. */
const longestWords = 300;

function told({ message, mistakes }: Refused, wholeRequest: string): string {
  const mistaken = mistakes.map(({ path, code }) => `${path || wholeRequest}: ${code}`).join(', ');
  return (mistaken === '' ? message : `${message} (${mistaken})`).slice(0, longestWords);
}

const where = {
  en: ({ channel }: Lack) =>
    channel === undefined ? 'this place' : `the channel ${channel} (<#${channel}> in Discord)`,
  zh: ({ channel }: Lack) => (channel === undefined ? '这个地方' : `频道 ${channel}（在 Discord 中为 <#${channel}>）`),
} as const;

const allow = {
  en: ({ deed, invitation }: Lack) =>
    `For this it needs: View Channel, ${permissions.en[deed]}. Look at its role in Server Settings → Roles, and at what the channel itself allows and forbids in Edit Channel → Permissions${invitation === undefined ? '' : `. To give the bot all that it needs in a server, open ${invitation}`}`,
  zh: ({ deed, invitation }: Lack) =>
    `这需要权限：View Channel, ${permissions.zh[deed]}。查看 Server Settings → Roles 中它的身份组，以及 Edit Channel → Permissions 中频道自己的设置${invitation === undefined ? '' : `。要给机器人在服务器中所需的全部权限，打开 ${invitation}`}`,
} as const;

/** What Discord people and those who run Keyturn read from this channel itself. */
export const discordWords = catalogue({
  en: {
    noLongerDoesAnything: 'This no longer does anything here.',
    mayNotAnswerHere: 'My config does not let me answer that here.',
    answerComesLater: 'This takes longer than Discord waits for it. The answer comes as a direct message.',
    restNotShown: '… More of it does not fit here.',
    /** In the menu of a message; at most 32 characters. */
    commandAsk: 'Ask about this',
    askWhat: 'What do you want to know about it?',
    /** In place of the person's own question. */
    askAboutIt: 'What is this about?',
    answersHere: 'I have your question.',
    answersDirectly: 'I may not write here, so I answer in our direct chat.',
    noPlaceToAnswer:
      'I may write neither here nor to you. Let me into the server, or open your direct messages for me.',
    chooseAgain: 'I was started again meanwhile. Choose “Ask about this” once more.',
    formTitle: 'Why not?',
    formLabel: 'Reason',
    formHint: 'The assistant reads this. You may leave it empty.',

    badToken: `Discord does not accept the token: it was reset, or is not the token of a bot. Make a new one (${application.en} → Bot → Reset Token), put it into channels.discord.token.`,
    mayNotRead: `Discord does not let the bot read messages. Switch that on: ${application.en} → Bot → Privileged Gateway Intents → Message Content Intent. Keyturn notices within 15 minutes.`,
    intentSwitchedOn:
      "discord: the bot's Message Content Intent was off and is switched on: without it, it reads nothing",
    endpointSet: `discord: the application has an Interactions Endpoint URL, so Discord sends presses of buttons and slash commands there and not to Keyturn. Empty it: ${application.en} → General Information.`,
    inNoServer: 'discord: the bot is in no server yet; open this address to let it in',
    notDiscord: 'What answers does not speak as Discord does: check channels.discord.api_url',
    tooManySessions: ({ left, minutes }: { readonly left: number; readonly minutes: number }) =>
      `The bot has begun too many sessions today: Discord allows ${left} more, and then takes its token away. Keyturn asks again in ${minutes} min. Look for another program that uses the same token.`,
    tooManyServers: 'The bot is in more than 2,500 servers, the limit of one connection. Remove it from some.',
    outdated: ({ code }: { readonly code: number }) =>
      `Discord no longer accepts this version of Keyturn (close code ${code}). Update it.`,
    unreachable: ({ cause }: { readonly cause: string }) => `Discord cannot be reached: ${cause}.`,
    connectionBroke: 'the connection broke',
    connectionClosed: ({ code }: { readonly code: number }) => `it closed the connection, ${code}`,
    noAnswerInTime: 'Discord did not answer in time.',
    sessionEnded: 'Discord has ended the session. Another one is begun.',
    fellSilent: 'Discord has fallen silent. A new connection is made.',

    channelGone: 'the channel is gone, or the bot is no longer in its server',
    doesNotSee: (lack: Lack) => `the bot does not see ${where.en(lack)}. ${allow.en(lack)}`,
    lacksPermission: (lack: Lack) => `the bot lacks a permission in ${where.en(lack)}. ${allow.en(lack)}`,
    threadArchived: (lack: Lack) =>
      `the thread is archived, and the bot may not open it again without the permission Manage Threads. ${allow.en(lack)}`,
    threadLocked: 'the thread is locked. Unlock it, or give the bot the permission Manage Threads',
    takesNoMessages:
      'Discord does not let the bot write to this person, who takes no direct messages from members of the servers, has blocked the bot, or no longer shares a server with it',
    tooLarge: 'it is larger than Discord takes here',
    blockedByAutoMod: "the server's AutoMod has blocked the message",
    tokenRefused: 'Discord does not accept the token. Check channels.discord.token',
    tokenJustRefused: 'Discord has not accepted the token just now. Check channels.discord.token',
    tooManyRefusals:
      'Discord has refused too many requests, so Keyturn pauses for some minutes. The log says what it refused',
    refused: (refused: Refused) => told(refused, 'all of it') || 'refused',
    refusal: ({ why, code }: Refusal) =>
      `${why} (${code === 0 ? 'Discord gives no reason' : `Discord's error ${code}`})`,
    answerTooLong: 'the answer is longer than any of Discord',
    notDiscordsApi: ({ status }: { readonly status: number }) =>
      `what answers, with ${status}, is not Discord's API: a proxy's page, or another server. Check api_url`,
    aChannel: 'a channel',
    saysNothing: 'it says nothing of it',
    conversationNotUnderstood: 'Discord says nothing of this place that could be understood',
    notItsFile: 'this is not a file of Discord',
    notItsAddress: 'the address is none of Discord',
    fileTakenAway: 'the file was taken away',
    openingChat: 'opening a direct chat',
    holdsNoMessage: 'the answer holds no message',
    holdsNoChat: 'the answer holds none',
    unknownCommander: 'nobody knows who gave it.',
    tooLateToChange:
      'What was shown to one person as the answer to a command can be changed for a quarter of an hour only.',
  },
  zh: {
    noLongerDoesAnything: '这项操作在这里已经失效。',
    mayNotAnswerHere: '我的配置不允许我在这里回答。',
    answerComesLater: '耗时超过了 Discord 的等待时间。回答会以私信发给你。',
    restNotShown: '……其余内容太长，无法在这里显示。',
    commandAsk: '就此提问',
    askWhat: '你想了解什么？',
    askAboutIt: '这是怎么回事？',
    answersHere: '已收到你的问题。',
    answersDirectly: '我不能在这里发言，所以会在私信中回答你。',
    noPlaceToAnswer: '我既不能在这里发言，也不能给你发私信。让我加入服务器，或对我开放私信。',
    chooseAgain: '我刚刚重新启动过。再选一次“就此提问”。',
    formTitle: '为什么拒绝？',
    formLabel: '原因',
    formHint: '助手会读到它。可以留空。',

    badToken: `Discord 不接受这个令牌：它已被重置，或不是机器人的令牌。生成新的令牌（${application.zh} → Bot → Reset Token），填入 channels.discord.token。`,
    mayNotRead: `Discord 不让机器人读取消息。打开这一项：${application.zh} → Bot → Privileged Gateway Intents → Message Content Intent。Keyturn 会在 15 分钟内发现。`,
    intentSwitchedOn: 'discord：机器人的 Message Content Intent 原先关闭，现已打开：没有它什么也读不到',
    endpointSet: `discord：应用设置了 Interactions Endpoint URL，Discord 会把按钮和斜杠命令发到那里，而不是 Keyturn。清空它：${application.zh} → General Information。`,
    inNoServer: 'discord：机器人还不在任何服务器中；打开这个地址让它加入',
    notDiscord: '应答不是 Discord 的格式：检查 channels.discord.api_url',
    tooManySessions: ({ left, minutes }) =>
      `机器人今天开始的会话太多：Discord 只再允许 ${left} 次，之后会收回令牌。Keyturn 会在 ${minutes} 分钟后再试。找找还有哪个程序在用同一个令牌。`,
    tooManyServers: '机器人所在的服务器超过 2,500 个，这是一个连接的上限。把它从一些服务器中移除。',
    outdated: ({ code }) => `Discord 不再接受这个版本的 Keyturn（关闭代码 ${code}）。更新它。`,
    unreachable: ({ cause }) => `无法连接 Discord：${cause}。`,
    connectionBroke: '连接中断',
    connectionClosed: ({ code }) => `对方关闭了连接，代码 ${code}`,
    noAnswerInTime: 'Discord 没有及时应答。',
    sessionEnded: 'Discord 结束了会话。正在开始新的会话。',
    fellSilent: 'Discord 没有动静了。正在重新连接。',

    channelGone: '频道已不存在，或机器人已不在它的服务器中',
    doesNotSee: (lack) => `机器人看不到${where.zh(lack)}。${allow.zh(lack)}`,
    lacksPermission: (lack) => `机器人在${where.zh(lack)}缺少权限。${allow.zh(lack)}`,
    threadArchived: (lack) => `子区已归档，没有 Manage Threads 权限的机器人不能重新打开它。${allow.zh(lack)}`,
    threadLocked: '子区已锁定。解锁它，或给机器人 Manage Threads 权限',
    takesNoMessages:
      'Discord 不让机器人给这个人发消息：对方不接收服务器成员的私信，或屏蔽了机器人，或不再与它同在一个服务器',
    tooLarge: '它超过了 Discord 在这里允许的大小',
    blockedByAutoMod: '服务器的 AutoMod 拦截了这条消息',
    tokenRefused: 'Discord 不接受这个令牌。检查 channels.discord.token',
    tokenJustRefused: 'Discord 刚才没有接受令牌。检查 channels.discord.token',
    tooManyRefusals: 'Discord 拒绝了太多请求，Keyturn 会暂停几分钟。被拒绝的请求见日志',
    refused: (refused) => told(refused, '整个请求') || '被拒绝',
    refusal: ({ why, code }) => `${why}（${code === 0 ? 'Discord 没有说明原因' : `Discord 错误 ${code}`}）`,
    answerTooLong: '应答比 Discord 的任何应答都长',
    notDiscordsApi: ({ status }) =>
      `返回 ${status} 的不是 Discord 的 API，而是代理的页面，或另一个服务器。检查 api_url`,
    aChannel: '频道',
    saysNothing: '没有给出任何信息',
    conversationNotUnderstood: 'Discord 对这个地方的说明无法理解',
    notItsFile: '这不是 Discord 的文件',
    notItsAddress: '这不是 Discord 的地址',
    fileTakenAway: '文件已被删除',
    openingChat: '打开私信',
    holdsNoMessage: '应答中没有消息',
    holdsNoChat: '应答中没有私信',
    unknownCommander: '不知道命令是谁发的。',
    tooLateToChange: '只给一个人看的命令回答，只能在 15 分钟内修改。',
  },
});

export type DiscordWords = (typeof discordWords)['en'];

/** The words for this person; for the operator, if nobody is named. */
export function wordsFor(host: Pick<ChannelHost, 'languageFor'> | undefined, sender?: Sender): DiscordWords {
  return discordWords[languageFor(host, sender)];
}
