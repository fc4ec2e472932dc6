import type { ChannelHost, Sender } from '../../src/contract.ts';
import { catalogue } from '../../src/lib/words.ts';
import { languageFor } from '../kit/words.ts';

/** The two tokens: of the bot, and of the app. */
export type TokenKind = 'bot' | 'app';

export interface RefusedToken {
  readonly kind: TokenKind;
  /** Slack's error. */
  readonly code: string;
}

interface Scopes {
  readonly scopes: string;
}

/** Where the operator finds the app. */
const apps = { en: 'api.slack.com/apps → your app', zh: 'api.slack.com/apps → 你的应用' } as const;

function pageOf(kind: TokenKind): string {
  return kind === 'bot'
    ? 'OAuth & Permissions → Bot User OAuth Token ("xoxb-…")'
    : 'Basic Information → App-Level Tokens ("xapp-…")';
}

function tokenInChinese(kind: TokenKind): string {
  return kind === 'bot' ? '机器人令牌' : '应用级令牌';
}

const into = {
  en: (kind: TokenKind) => `into channels.slack.${kind}_token, from ${apps.en} → ${pageOf(kind)}.`,
  zh: (kind: TokenKind) => `填入 channels.slack.${kind}_token，来源：${apps.zh} → ${pageOf(kind)}。`,
} as const;
const renew = {
  en: (kind: TokenKind) =>
    `${kind === 'bot' ? 'Install the app again' : 'Generate a new one'}, put the new token ${into.en(kind)}`,
  zh: (kind: TokenKind) => `${kind === 'bot' ? '重新安装应用' : '生成新的令牌'}，把新令牌${into.zh(kind)}`,
} as const;
const said = {
  en: (code: string) => `(Slack says: ${code}.)`,
  zh: (code: string) => `（Slack 返回：${code}。）`,
} as const;
const addScopes = {
  en: `Add the missing scopes (${apps.en} → OAuth & Permissions) and reinstall the app.`,
  zh: `添加缺少的权限（${apps.zh} → OAuth & Permissions），然后重新安装应用。`,
} as const;

/** What Slack people and those who run Keyturn read from this channel itself. */
export const slackWords = catalogue({
  en: {
    /** Slack shows it behind the bot's name. */
    isThinking: 'is thinking…',
    buttonWhatCanYouDo: 'What can you do?',
    buttonWhichFiles: 'Which files are there?',
    askWhatCanYouDo: 'What can you do?',
    askWhichFiles: 'Which files are in your workspace?',
    buttonSend: 'Send',
    buttonCancel: 'Cancel',
    restNotShown: '… More of it does not fit here.',
    formNotOpened: 'Slack did not let me ask you for that just now. Press the button once more.',
    nothingWaits: 'Nothing waits for you. Write to me under “Messages”.',
    moreWaits: ({ count }: { readonly count: number }) => `… and ${count} more. /keyturn status shows all.`,
    homeOff:
      'slack: the app has no Home tab, where people would see what waits for them. Switch it on under "App Home" and subscribe to app_home_opened, as in channels/slack/manifest.json.',
    /** The heading of a form about a message. */
    askWhat: 'What do you want to know about it?',
    /** In place of the person's own question. */
    askAboutIt: 'What is this about?',
    chooseAgain: 'I was started again meanwhile. Choose “Ask about this” once more.',
    noSuchReaction:
      'Slack names its emoji, and this name or sign is unknown here. Give a common emoji, or the name of one, as ":tada:"',
    answersDirectly: 'I am not in this chat, so I answer in our direct chat.',
    noPlaceToAnswer:
      'I am not in this chat, and may not write to you first. Invite me here, or forward the message to me.',

    unknownToken: ({ kind, code }: RefusedToken) =>
      `Slack does not know the ${kind} token. Copy it again ${into.en(kind)} ${said.en(code)}`,
    swappedToken: ({ kind, code }: RefusedToken) =>
      `This is not the ${kind} token; the two tokens may be swapped. Copy it again ${into.en(kind)} ${said.en(code)}`,
    revokedToken: ({ kind, code }: RefusedToken) => `The ${kind} token was revoked. ${renew.en(kind)} ${said.en(code)}`,
    expiredToken: ({ kind, code }: RefusedToken) =>
      `The ${kind} token has expired. Switch token rotation off (${apps.en} → OAuth & Permissions), then: ${renew.en(kind)} ${said.en(code)}`,
    closedWorkspace: ({ kind, code }: RefusedToken) =>
      `The bot was taken out of the workspace, or the workspace is closed. ${renew.en(kind)} ${said.en(code)}`,
    lacksScope: ({ kind, code }: RefusedToken) =>
      kind === 'app'
        ? `The app-level token lacks the scope connections:write. ${renew.en(kind)} ${said.en(code)}`
        : `The app lacks a scope. Compare its scopes with those in channels/slack/manifest.json and reinstall the app: ${apps.en} → Install App. ${said.en(code)}`,
    socketModeOff: ({ code }: RefusedToken) =>
      `Socket Mode is off for this app. Switch it on (${apps.en} → Socket Mode → Enable Socket Mode), and Keyturn notices within 15 minutes; or use channels.slack.mode "http". ${said.en(code)}`,
    refusedForNow: ({ kind, code }: RefusedToken) => `Slack refuses the ${kind} token for now: ${code}.`,
    account: ({ bot, team }: { readonly bot: string; readonly team: string }) => `@${bot} in ${team}`,
    uselessToken: 'slack: one of the bot tokens is not valid, and is tried again later',
    tokenNoLongerValid: 'slack: one of the bot tokens is no longer valid, and is tried again later',
    otherApp: ({ app, bot }: { readonly app: string; readonly bot: string }) =>
      `The app-level token belongs to the app ${app}, but the bot token to ${bot}. Take both from the same app and put them into channels.slack.app_token and channels.slack.bot_token.`,
    noBotToken: ({ team }: { readonly team: string }) =>
      `There is no bot token for the workspace ${team}: put one into channels.slack.more_bot_tokens`,
    partlyOff: ({ scopes }: Scopes) =>
      `slack: what needs ${scopes} is off: the app lacks a permission for it. ${addScopes.en}`,
    mayNotTalk: ({ scopes }: Scopes) =>
      `The app may not talk to anybody: it lacks ${scopes}. ${addScopes.en} It is looked at again and again.`,

    notSlack: 'What answers at channels.slack.api_url does not speak as Slack does. Check that address.',
    asksToWait: 'Slack asks to wait.',
    unreachable: ({ cause }: { readonly cause: string }) =>
      `Slack cannot be reached: ${cause}. Check the network, and channels.slack.api_url if it is set.`,
    noSocketOpen: 'No socket to Slack is open.',
    socketsBreak: 'The sockets to Slack break, or cannot be opened. Check the network and any proxy.',
    tooManySockets:
      'Slack says that the app has too many sockets open: another Keyturn may run with the same app token. It is tried again in a minute.',
    portTaken: ({ address }: { readonly address: string }) =>
      `Slack's requests cannot be listened for at ${address}, which is used by another program. Set channels.slack.http.host and port. It is tried again.`,
    portFails: ({ address, code }: { readonly address: string; readonly code: string }) =>
      `Slack's requests cannot be listened for at ${address}, which fails (${code}). Set channels.slack.http.host and port. It is tried again.`,

    botNotInChannel: 'the bot is not in this channel, or does not see it. Invite it there: /invite @ and its name',
    appsMayNotWrite: 'the workspace does not let apps write here',
    messagesTabOff:
      'people cannot write to the app. Switch on "Messages Tab" under "App Home", and allow people to send messages from it',
    lacksPermission: ({ scopes }: Scopes) =>
      `the app lacks a permission${scopes === '' ? '' : `: ${scopes}`}. Add it under "OAuth & Permissions", then install the app again`,
    withAdvice: ({ code, advice }: { readonly code: string; readonly advice: string }) => `${code}: ${advice}`,
    notSlacksAddress: "the address is not one of Slack's. Check api_url",
    notSlacksStatus: ({ status }: { readonly status: number }) =>
      `the server answers ${status}, which Slack does not. Check api_url`,
    answersOtherwise: 'the answer is not one of the Web API',
    notWebApi: 'what answered is not the Web API',
    namesNoMessage: 'the answer does not name the message',
    namesNoAddress: 'the answer names no address',
    namesNoPlace: 'the answer does not name a place',
    tooLate: ({ status }: { readonly status: number }) => `it is too late, the server answers ${status}`,
    workspaceUnknown: 'Slack has not said yet to which workspace the bot token belongs',

    uploadingFile: 'upload of a file',
    fileNowhere: 'Slack does not say where the file is',
    fileGone: 'the file is no longer there',
    isCanvas: 'a canvas is a page of Slack. Copy its text into a message, or send it as a PDF',
    isList: 'a list is a page of Slack. Export it as CSV, and send that file',
    fileElsewhere: 'the file does not lie with Slack. Send it as a file, or its address',
    fileAtForeignAddress: "the file lies at an address that is not one of Slack's, which is not followed",
    pageForFile:
      'a web page came in place of the file: the app lacks the permission files:read. Add it under "OAuth & Permissions", then install the app again',
    sentOnAgain: 'the server sends us on again and again',

    notToOnePerson: 'Slack: a file cannot be shown to one person alone.',
    onlyTextChanges: 'Slack: only messages of text can be changed.',
  },
  zh: {
    isThinking: '正在思考……',
    buttonWhatCanYouDo: '你能做什么？',
    buttonWhichFiles: '有哪些文件？',
    askWhatCanYouDo: '你能做什么？',
    askWhichFiles: '你的工作区里有哪些文件？',
    buttonSend: '发送',
    buttonCancel: '取消',
    restNotShown: '……其余内容太长，无法在这里显示。',
    formNotOpened: 'Slack 刚才没有让我向你提问。再按一次按钮。',
    nothingWaits: '没有等你处理的事。在“Messages”中给我发消息。',
    moreWaits: ({ count }) => `……另有 ${count} 项。/keyturn status 显示全部。`,
    homeOff:
      'slack：应用没有 Home 标签页，人们在那里可以看到等待处理的事。在“App Home”中打开它，并订阅 app_home_opened，参见 channels/slack/manifest.json。',
    askWhat: '你想了解什么？',
    askAboutIt: '这是怎么回事？',
    chooseAgain: '我刚刚重新启动过。再选一次“Ask about this”。',
    noSuchReaction: 'Slack 用名称表示表情，这里不认识这个名称或符号。给一个常见的表情，或它的名称，如 ":tada:"',
    answersDirectly: '我不在这个聊天中，所以会在私聊中回答你。',
    noPlaceToAnswer: '我不在这个聊天中，也不能先给你发消息。邀请我加入，或把消息转发给我。',

    unknownToken: ({ kind, code }) =>
      `Slack 不认识这个${tokenInChinese(kind)}。重新复制，${into.zh(kind)}${said.zh(code)}`,
    swappedToken: ({ kind, code }) =>
      `这不是${tokenInChinese(kind)}，两个令牌可能放反了。重新复制，${into.zh(kind)}${said.zh(code)}`,
    revokedToken: ({ kind, code }) => `${tokenInChinese(kind)}已被撤销。${renew.zh(kind)}${said.zh(code)}`,
    expiredToken: ({ kind, code }) =>
      `${tokenInChinese(kind)}已过期。先关闭令牌轮换（${apps.zh} → OAuth & Permissions），然后${renew.zh(kind)}${said.zh(code)}`,
    closedWorkspace: ({ kind, code }) => `机器人已被移出工作区，或工作区已关闭。${renew.zh(kind)}${said.zh(code)}`,
    lacksScope: ({ kind, code }) =>
      kind === 'app'
        ? `应用级令牌缺少权限 connections:write。${renew.zh(kind)}${said.zh(code)}`
        : `应用缺少权限。与 channels/slack/manifest.json 中的权限比对，然后重新安装应用：${apps.zh} → Install App。${said.zh(code)}`,
    socketModeOff: ({ code }) =>
      `这个应用没有打开 Socket Mode。打开它（${apps.zh} → Socket Mode → Enable Socket Mode），Keyturn 会在 15 分钟内发现；也可以改用 channels.slack.mode "http"。${said.zh(code)}`,
    refusedForNow: ({ kind, code }) => `Slack 暂时拒绝${tokenInChinese(kind)}：${code}。`,
    account: ({ bot, team }) => `工作区 ${team} 中的 @${bot}`,
    uselessToken: 'slack：有一个机器人令牌无效，稍后会再试',
    tokenNoLongerValid: 'slack：有一个机器人令牌不再有效，稍后会再试',
    otherApp: ({ app, bot }) =>
      `应用级令牌属于应用 ${app}，机器人令牌却属于 ${bot}。从同一个应用取得两者，填入 channels.slack.app_token 和 channels.slack.bot_token。`,
    noBotToken: ({ team }) => `没有工作区 ${team} 的机器人令牌：把它填入 channels.slack.more_bot_tokens`,
    partlyOff: ({ scopes }) => `slack：应用缺少权限，需要 ${scopes} 的功能已关闭。${addScopes.zh}`,
    mayNotTalk: ({ scopes }) => `应用不能和任何人对话：缺少 ${scopes}。${addScopes.zh}Keyturn 会反复检查。`,

    notSlack: 'channels.slack.api_url 处的应答不是 Slack 的格式。检查这个地址。',
    asksToWait: 'Slack 要求等待。',
    unreachable: ({ cause }) => `无法连接 Slack：${cause}。检查网络；如果设置了 channels.slack.api_url，也检查它。`,
    noSocketOpen: '没有与 Slack 的连接。',
    socketsBreak: '与 Slack 的连接中断，或无法建立。检查网络和代理。',
    tooManySockets: 'Slack 说这个应用的连接太多：可能有另一个 Keyturn 在用同一个应用级令牌。一分钟后再试。',
    portTaken: ({ address }) =>
      `无法在 ${address} 监听 Slack 的请求，它被另一个程序占用。设置 channels.slack.http.host 和 port。会再次尝试。`,
    portFails: ({ address, code }) =>
      `无法在 ${address} 监听 Slack 的请求（${code}）。设置 channels.slack.http.host 和 port。会再次尝试。`,

    botNotInChannel: '机器人不在这个频道，或看不到它。邀请它加入：/invite @ 加上它的名字',
    appsMayNotWrite: '工作区不允许应用在这里发言',
    messagesTabOff: '用户无法给应用发消息。在“App Home”中打开“Messages Tab”，并允许用户从那里发送消息',
    lacksPermission: ({ scopes }) =>
      `应用缺少权限${scopes === '' ? '' : `：${scopes}`}。在“OAuth & Permissions”中添加，然后重新安装应用`,
    withAdvice: ({ code, advice }) => `${code}：${advice}`,
    notSlacksAddress: '这不是 Slack 的地址。检查 api_url',
    notSlacksStatus: ({ status }) => `服务器返回 ${status}，Slack 不会这样。检查 api_url`,
    answersOtherwise: '应答不是 Web API 的格式',
    notWebApi: '应答的不是 Web API',
    namesNoMessage: '应答中没有消息的编号',
    namesNoAddress: '应答中没有地址',
    namesNoPlace: '应答中没有上传的位置',
    tooLate: ({ status }) => `太晚了，服务器返回 ${status}`,
    workspaceUnknown: 'Slack 还没有说明机器人令牌属于哪个工作区',

    uploadingFile: '上传文件',
    fileNowhere: 'Slack 没有说明文件在哪里',
    fileGone: '文件已不存在',
    isCanvas: '画布是 Slack 自己的页面。把文字复制到消息里，或以 PDF 发送',
    isList: '列表是 Slack 自己的页面。导出为 CSV，然后发送该文件',
    fileElsewhere: '文件不在 Slack 上。直接发送文件，或发送它的地址',
    fileAtForeignAddress: '文件所在的不是 Slack 的地址，Keyturn 不会跟随',
    pageForFile: '收到的不是文件，而是网页：应用缺少权限 files:read。在“OAuth & Permissions”中添加，然后重新安装应用',
    sentOnAgain: '服务器一再要求转到别的地址',

    notToOnePerson: 'Slack：文件不能只给一个人看。',
    onlyTextChanges: 'Slack：只有文字消息可以修改。',
  },
});

export type SlackWords = (typeof slackWords)['en'];

/** The words for this person; for the operator, if nobody is named. */
export function wordsFor(host: Pick<ChannelHost, 'languageFor'> | undefined, sender?: Sender): SlackWords {
  return slackWords[languageFor(host, sender)];
}
