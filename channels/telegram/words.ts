import { durationWords } from '../../src/lib/time-words.ts';
import { catalogue } from '../../src/lib/words.ts';

interface Why {
  /** The cause in a few words, of the platform or of the network. */
  readonly why: string;
}

/** What people read of Telegram and the connection to it. */
export const telegramWords = catalogue({
  en: {
    whyNot: 'Why not? Answer this message.',
    whyNotOf: 'why not? Answer this message.',
    reasonHint: 'The assistant reads this',
    cannotAsk: 'I could not ask you why. Write it as an answer to the card.',

    takesOnly: ({ reactions }: { readonly reactions: string }) =>
      `Telegram has no such reaction. It takes only these: ${reactions}`,
    notBotApi: 'what answered is not a Bot API; check api_root',
    movedTo: ({ said, newId }: { readonly said: string; readonly newId: number }) =>
      `${said} (the group became a supergroup; its chat id is now ${newId})`,
    strangeAnswer: ({ method }: { readonly method: string }) =>
      `${method} was answered with something that the Bot API does not say`,
    localFile:
      'the Bot API server runs with --local, and names a place on its own disk. Start it without --local to have files',

    cannotStore: 'What Telegram delivers cannot be stored. It is fetched again; the log says what is wrong.',
    noIds: 'Telegram sends updates without ids; check api_root.',
    unreachable: ({ why }: Why) => `Telegram cannot be reached: ${why}.`,
    refusesToDeliver: ({ why }: Why) => `Telegram refuses to deliver: ${why}.`,
    asksToWait: ({ wait }: { readonly wait: number }) =>
      `Telegram asks to wait. It is asked again in ${durationWords(wait)}.`,
    webhookRemoved: 'Somebody has set a webhook for this bot. It was removed; if it comes back, end the other program.',
    contested:
      'Another process receives with the same token, so messages go astray. Stop the other one; ' +
      'if you know of none, revoke the token at @BotFather (/revoke) and put the new one into channels.telegram.token.',
    deaf:
      'Telegram has messages for the bot and delivers none of them. A new connection is made; ' +
      'if that does not help, check api_root and the proxy.',
    tokenRefused: ({ why }: Why) =>
      `Telegram does not accept the token (${why}). Take it from @BotFather (/mybots, API Token), ` +
      'put it into channels.telegram.token.',
  },
  zh: {
    whyNot: '为什么拒绝？回复这条消息。',
    whyNotOf: '为什么拒绝？回复这条消息。',
    reasonHint: '助手会读到它',
    cannotAsk: '没能问你原因。回复那张卡片来说明。',

    takesOnly: ({ reactions }) => `Telegram 没有这种表情回应，只接受：${reactions}`,
    notBotApi: '应答的不是 Bot API；检查 api_root',
    movedTo: ({ said, newId }) => `${said}（群组已成为超级群组，新的聊天 ID 是 ${newId}）`,
    strangeAnswer: ({ method }) => `${method} 的应答不符合 Bot API`,
    localFile: 'Bot API 服务器以 --local 运行，给出的是它自己磁盘上的位置。不带 --local 启动它，才能取得文件',

    cannotStore: 'Telegram 送来的消息无法保存。会再次获取；原因见日志。',
    noIds: 'Telegram 发来的更新没有编号；检查 api_root。',
    unreachable: ({ why }) => `无法连接 Telegram：${why}。`,
    refusesToDeliver: ({ why }) => `Telegram 拒绝送达：${why}。`,
    asksToWait: ({ wait }) => `Telegram 要求等待，${durationWords(wait, 'zh')}后再试。`,
    webhookRemoved: '有程序给这个机器人设置了 webhook，已移除。如果再次出现，停掉那个程序。',
    contested:
      '另一个进程在用同一个令牌接收，消息会丢到它那边。停掉那个进程；如果不知道是哪个，' +
      '在 @BotFather 用 /revoke 撤销令牌，再把新的填入 channels.telegram.token。',
    deaf: 'Telegram 有给机器人的消息，却一条也没送来。正在重新连接；如果没有用，检查 api_root 和代理。',
    tokenRefused: ({ why }) =>
      `Telegram 不接受这个令牌（${why}）。从 @BotFather 取得（/mybots，API Token），填入 channels.telegram.token。`,
  },
});

/** What a message is that cannot be read, as its sender is told. */
export const unreadableWords = catalogue({
  en: {
    gift: 'a gift',
    giveaway: 'a giveaway',
    invoice: 'an invoice',
    sharedContacts: 'shared contacts',
    sharedChat: 'a shared chat',
    webAppData: 'what a web app sends',
    passportData: 'passport data',
    sticker: 'this sticker',
    poll: 'this poll',
    checklist: 'this checklist',
    location: 'this location',
    contact: 'this contact',
    game: 'this game',
    picture: 'this picture',
    file: 'this file',
    voiceMessage: 'this voice message',
    recording: 'this recording',
    video: 'this video',
    videoMessage: 'this video message',
    animation: 'this animation',
    other: 'this kind of message',
  },
  zh: {
    gift: '礼物',
    giveaway: '抽奖',
    invoice: '账单',
    sharedContacts: '分享的联系人',
    sharedChat: '分享的聊天',
    webAppData: '网页应用发来的内容',
    passportData: 'Telegram Passport 资料',
    sticker: '这个贴纸',
    poll: '这个投票',
    checklist: '这份清单',
    location: '这个位置',
    contact: '这个联系人',
    game: '这个游戏',
    picture: '这张图片',
    file: '这个文件',
    voiceMessage: '这条语音消息',
    recording: '这段录音',
    video: '这个视频',
    videoMessage: '这条视频消息',
    animation: '这个动图',
    other: '这类消息',
  },
});

/** What cannot be read. */
export type Unreadable = keyof (typeof unreadableWords)['en'];
