/* What the set-up asks and says on a terminal, and the comments that it writes into a new config. */

import { catalogue } from '../../lib/words.ts';

export const setupWords = catalogue({
  en: {
    title: ({ version }: { readonly version: string }) =>
      `Keyturn ${version}: set it up. ctrl-c ends it, and writes nothing.`,
    yes: 'Yes',
    no: 'No',
    nothingWritten: 'Nothing was written.',
    nothingFound: 'Neither a new model nor a new token was found.',
    nothingNew: 'Nothing was changed.',
    needsTerminal:
      'The set-up asks questions, and there is no terminal. With --yes it asks none: it takes the models, keys and tokens that it finds. --help shows how to name them.',
    jsonNeedsYes: '--json needs --yes: a program cannot answer questions.',
    onlyWithYes: ({ option }: { readonly option: string }) => `--${option} needs --yes: without it, the set-up asks.`,

    lookingForModels: 'Looking for models',
    whichModel: 'Which model should answer?',
    keepModel: ({ model }: { readonly model: string }) => `Keep ${model}`,
    keyFound: ({ variable }: { readonly variable: string }) => `${variable} is set`,
    enterKey: 'A key of Anthropic, OpenAI or Google',
    enterServer: 'Another server: Ollama elsewhere, vLLM, OpenRouter …',
    practice: 'None yet: go on to the chat, in practice mode, which is no AI',
    notNow: 'Not now: end the set-up, and try the practice chat here',
    pasteKey: 'Paste the key (it is not shown):',
    whoseKey: 'Whose key is it?',
    whichServer: 'The address of its API:',
    serverKey: ({ address }: Address) => `${address} wants a key. Paste it (it is not shown):`,
    serverFails: ({ address, why }: ServerFault) =>
      `${address}/models does not list models: ${why}. Is the server running, and is that its address with the version, such as …/v1?`,
    serverEmpty: ({ address }: Address) => `${address} has no model that chats. Load one first.`,
    whichOfServer: 'Which of its models?',
    tryingModel: 'Asking it for one small call',
    modelFailed: 'How do you want to go on?',
    tryAgain: 'Try again',
    otherModel: 'Another model, or another key',
    takeAnyhow: 'Take it as it is',
    asking: ({ what }: { readonly what: string }) => `Asking ${what}`,

    whichChat: 'Where do you want to talk to it?',
    keepChat: ({ chats }: Chats) => `Keep ${chats.join(', ')}`,
    tokenFound: 'its token is there',
    onlyTerminal: 'Only in this terminal',
    helpTelegram:
      'In Telegram, write /newbot to @BotFather (https://t.me/BotFather). It asks for two names, and gives you a token.',
    helpSlack: ({ manifest }: { readonly manifest: string }) =>
      `1. https://api.slack.com/apps → Create New App → From a manifest: paste ${manifest}\n2. Basic Information → App-Level Tokens: make one with connections:write. It begins with xapp-.\n3. Install App: the bot token begins with xoxb-.`,
    helpDiscord:
      'https://discord.com/developers/applications → New Application → Bot: switch on Message Content Intent; Reset Token shows the token.',
    tokenOfTelegram: 'Paste the token (it is not shown):',
    tokenOfDiscord: 'Paste the token of the bot (it is not shown):',
    appTokenOfSlack: 'Paste the app token, xapp-… (it is not shown):',
    botTokenOfSlack: 'Paste the bot token, xoxb-… (it is not shown):',
    tokenTaken: ({ title, state }: TokenTaken) => `${title}: ${state}.`,
    chatFailed: ({ title }: { readonly title: string }) => `${title} does not work yet. How do you want to go on?`,
    otherToken: 'Enter another token',
    checkAgain: 'Check again',
    otherChat: 'Another chat, or none',

    wrote: ({ path }: { readonly path: string }) => `Written: ${path}`,
    keptBefore: ({ before }: { readonly before: string }) => `What stood there before is in ${before}`,
    tightened: ({ path }: { readonly path: string }) => `Others could read ${path}; now only you can.`,
    modelBefore: ({ before }: { readonly before: string }) =>
      `The model that answered before, ${before}, stays in the config.`,
    inEnvironment: ({ variables }: { readonly variables: readonly string[] }) =>
      `${variables.join(', ')} ${variables.length === 1 ? 'comes' : 'come'} from the environment of this terminal. A service needs the same in .env.`,
    whoMayTalk: 'Only its owner is heard. Who else writes to it is shown to you, and you decide there.',
    becomeOwner: 'It starts now and shows a link: whoever opens it first is the owner. That should be you.',
    startNow: 'Start it now?',
    startLater: ({ command }: { readonly command: string }) => `To start it: ${command}`,
    runsUnchanged: 'Keyturn runs, with what was set up before.',
    runsAlready:
      'Keyturn runs, and takes this over within seconds. If it has no owner yet, it writes the link to become one where it writes its log.',
    starts: 'It starts.',
    editedMeanwhile: ({ file, written }: Edited) =>
      `${file} was edited meanwhile, so ${written.length === 0 ? 'nothing' : `only ${written.join(', ')}`} was written. Start the set-up again.`,
    cannotWrite: ({ path, reason, written }: CannotWrite) =>
      `${path} cannot be written: ${reason}. ${written.length === 0 ? 'Nothing was written.' : `Only ${written.join(', ')} was written.`} It needs a folder of this user with free space; KEYTURN_HOME names another.`,

    noSuchChannel: ({ name, names }: { readonly name: string; readonly names: readonly string[] }) =>
      `There is no channel "${name}". There are: ${names.join(', ')}.`,
    noTokens: ({ name, variables }: { readonly name: string; readonly variables: readonly string[] }) =>
      `There is no token for ${name}. Set ${variables.join(' and ')}, or name a file that has one: --token-file FILE (- is the standard input).`,
    unknownToken:
      'The token file has a line that is no token of Telegram, Slack or Discord. Each stands alone on its line.',
    unreadableFile: ({ path, reason }: { readonly path: string; readonly reason: string }) =>
      `${path} cannot be read: ${reason}.`,
    noFile: ({ path }: { readonly path: string }) => `There is no file ${path}.`,
    unknownModel: ({ name, found }: { readonly name: string; readonly found: readonly string[] }) =>
      `No model "${name}" was found. ${found.length === 0 ? 'None was found at all' : `There are: ${found.join(', ')}`}. Name its server with --base-url, or set the key of its provider.`,
    badAddress: ({ address }: Address) => `"${address}" is no address of a server.`,
    checksFailed: 'Nothing was written. Mend it, and try again.',
    comments: {
      head: [
        'Made by "keyturn setup". It is read again when it is edited; all that it does not set has a default.',
        `"\${NAME}" is the variable NAME, from the environment or from .env beside this file: secrets stand there.`,
      ],
      keys: {
        models: 'The models, by names that you choose.',
        model: 'Which of them answers. "offline" is the practice mode.',
        channels: 'Where people talk to it. Only its owners are heard, and whom they let in.',
      },
    },
  },
  zh: {
    title: ({ version }) => `Keyturn ${version}：设置。按 ctrl-c 结束，什么都不写入。`,
    yes: '是',
    no: '否',
    nothingWritten: '没有写入任何内容。',
    nothingFound: '没有找到新的模型或令牌。',
    nothingNew: '没有改动。',
    needsTerminal:
      '设置要提问，而这里没有终端。加上 --yes 就不提问：它会采用找到的模型、密钥和令牌。--help 说明怎样指定它们。',
    jsonNeedsYes: '--json 要和 --yes 一起用：程序不能回答提问。',
    onlyWithYes: ({ option }) => `--${option} 要和 --yes 一起用：没有 --yes 时，设置会提问。`,

    lookingForModels: '正在寻找模型',
    whichModel: '由哪个模型回答？',
    keepModel: ({ model }) => `保留 ${model}`,
    keyFound: ({ variable }) => `已设置 ${variable}`,
    enterKey: 'Anthropic、OpenAI 或 Google 的密钥',
    enterServer: '其他服务器：别处的 Ollama、vLLM、OpenRouter……',
    practice: '暂时不用：继续设置聊天，先用练习模式（不是 AI）',
    notNow: '以后再说：结束设置，在这里试试练习对话',
    pasteKey: '粘贴密钥（不会显示）：',
    whoseKey: '这是谁的密钥？',
    whichServer: '它的 API 地址：',
    serverKey: ({ address }) => `${address} 需要密钥。粘贴密钥（不会显示）：`,
    serverFails: ({ address, why }) =>
      `${address}/models 没有列出模型：${why}。服务器在运行吗？地址是否带版本，例如 …/v1？`,
    serverEmpty: ({ address }) => `${address} 没有可以对话的模型。先加载一个。`,
    whichOfServer: '用其中哪个模型？',
    tryingModel: '正在向它发一个小请求',
    modelFailed: '接下来怎么做？',
    tryAgain: '再试一次',
    otherModel: '换一个模型或密钥',
    takeAnyhow: '就用它',
    asking: ({ what }) => `正在询问 ${what}`,

    whichChat: '你想在哪里和它对话？',
    keepChat: ({ chats }) => `保留 ${chats.join('、')}`,
    tokenFound: '已有令牌',
    onlyTerminal: '只在这个终端',
    helpTelegram: '在 Telegram 中给 @BotFather（https://t.me/BotFather）发 /newbot。它会问两个名字，然后给你令牌。',
    helpSlack: ({ manifest }) =>
      `1. https://api.slack.com/apps → Create New App → From a manifest：粘贴 ${manifest}\n2. Basic Information → App-Level Tokens：新建一个带 connections:write 的，以 xapp- 开头。\n3. Install App：机器人令牌以 xoxb- 开头。`,
    helpDiscord:
      'https://discord.com/developers/applications → New Application → Bot：打开 Message Content Intent；Reset Token 显示令牌。',
    tokenOfTelegram: '粘贴令牌（不会显示）：',
    tokenOfDiscord: '粘贴机器人的令牌（不会显示）：',
    appTokenOfSlack: '粘贴应用令牌 xapp-…（不会显示）：',
    botTokenOfSlack: '粘贴机器人令牌 xoxb-…（不会显示）：',
    tokenTaken: ({ title, state }) => `${title}：${state}。`,
    chatFailed: ({ title }) => `${title} 还不能用。接下来怎么做？`,
    otherToken: '换一个令牌',
    checkAgain: '再检查一次',
    otherChat: '换一个聊天，或者不用',

    wrote: ({ path }) => `已写入：${path}`,
    keptBefore: ({ before }) => `原来的内容在 ${before}`,
    tightened: ({ path }) => `其他用户原来可以读取 ${path}，现在只有你可以。`,
    modelBefore: ({ before }) => `原来的模型 ${before} 仍留在配置中。`,
    inEnvironment: ({ variables }) => `${variables.join('、')} 来自这个终端的环境。作为服务运行时，要把它写进 .env。`,
    whoMayTalk: '只听所有者的消息。别人给它发消息时会告诉你，由你决定。',
    becomeOwner: '现在启动，并显示一个链接：谁先打开，谁就是所有者。应该由你打开。',
    startNow: '现在启动吗？',
    startLater: ({ command }) => `启动命令：${command}`,
    runsUnchanged: 'Keyturn 正在运行，用的是以前的设置。',
    runsAlready: 'Keyturn 正在运行，几秒内就会采用。如果它还没有所有者，成为所有者的链接会写在它的日志所在的地方。',
    starts: '正在启动。',
    editedMeanwhile: ({ file, written }) =>
      `${file} 在此期间被修改过，所以${written.length === 0 ? '什么都没有写入' : `只写入了 ${written.join('、')}`}。重新开始设置。`,
    cannotWrite: ({ path, reason, written }) =>
      `无法写入 ${path}：${reason}。${written.length === 0 ? '没有写入任何内容。' : `只写入了 ${written.join('、')}。`}需要一个当前用户可以写、有剩余空间的文件夹；可以用 KEYTURN_HOME 指定另一个。`,

    noSuchChannel: ({ name, names }) => `没有渠道“${name}”。可以用：${names.join('、')}。`,
    noTokens: ({ name, variables }) =>
      `没有 ${name} 的令牌。设置 ${variables.join(' 和 ')}，或指定一个写有令牌的文件：--token-file FILE（- 表示标准输入）。`,
    unknownToken: '令牌文件中有一行不是 Telegram、Slack 或 Discord 的令牌。每个令牌单独写一行。',
    unreadableFile: ({ path, reason }) => `无法读取 ${path}：${reason}。`,
    noFile: ({ path }) => `没有文件 ${path}。`,
    unknownModel: ({ name, found }) =>
      `没有找到模型“${name}”。${found.length === 0 ? '一个模型都没有找到' : `找到的有：${found.join('、')}`}。用 --base-url 指定它的服务器，或设置它的提供商的密钥。`,
    badAddress: ({ address }) => `“${address}”不是服务器地址。`,
    checksFailed: '没有写入任何内容。修好后再试。',
    comments: {
      head: [
        '由 "keyturn setup" 写入。修改后会重新读取；没有写的都用默认值。',
        `"\${NAME}" 是变量 NAME，来自环境或旁边的 .env：密钥写在那里。`,
      ],
      keys: {
        models: '模型，名称由你决定。',
        model: '由哪一个回答。"offline" 是练习模式。',
        channels: '人们在哪里和它对话。只听所有者和他们放行的人。',
      },
    },
  },
});

interface Address {
  readonly address: string;
}

interface ServerFault {
  readonly address: string;
  readonly why: string;
}

interface Chats {
  readonly chats: readonly string[];
}

interface TokenTaken {
  readonly title: string;
  /** Whose token it is. */
  readonly state: string;
}

interface Edited {
  readonly file: string;
  readonly written: readonly string[];
}

interface CannotWrite {
  readonly path: string;
  readonly reason: string;
  readonly written: readonly string[];
}
