/* What the terminal says: the first lines, the reports of the commands, and why Keyturn does not start. */

import type { Config } from '../config/schema.ts';
import { ownCommand } from '../lib/own-command.ts';
import { catalogue, type Language, languageOfLocale } from '../lib/words.ts';

/** The language of the process itself: by the config, else by the locale of its environment. */
export function processLanguage(
  environment: Readonly<Record<string, string | undefined>>,
  config?: Pick<Config, 'language'>,
): Language {
  return config?.language ?? languageOfLocale(environment) ?? 'en';
}

export const cliWords = catalogue({
  en: {
    seeHelp: ({ command }: { readonly command: string }) => `"${command} --help" lists what this program knows.`,
    /** An empty command is the start. */
    optionOfOthers: ({ option, command }: { readonly option: string; readonly command: string }) =>
      command === '' ? `${option} goes with a command, not with the start.` : `"${command}" has no option ${option}.`,
    lacksOperand: ({ name, takes }: { readonly name: string; readonly takes: string }) =>
      `"${name}" lacks something: write ${name} ${takes}.`,
    extraOperand: ({ name, extra, takes }: ExtraOperand) =>
      `"${name}" takes ${takes === undefined ? 'nothing else' : `only ${takes}`}: "${extra}" is too much.`,
    groupNeeds: ({ group, commands }: { readonly group: string; readonly commands: readonly string[] }) =>
      `"${group}" alone is no command. There are: ${commands.join(', ')}.`,
    oneOfTwo: 'Use --strict or --last-good, not both.',
    noCommand: ({ written }: { readonly written: string }) => `There is no command "${written}".`,
    startsWithout: ({ written }: { readonly written: string }) =>
      `There is no command "${written}". Without a command, this program starts.`,
    meantCommand: ({ written, meant }: { readonly written: string; readonly meant: string }) =>
      `There is no command "${written}". Did you mean "${meant}"?`,
    chatCommand: ({ name }: { readonly name: string }) => `"${name}" is a chat command: type /${name} in the chat.`,
    meantChatCommand: ({ written, meant }: { readonly written: string; readonly meant: string }) =>
      `There is no command "${written}". Did you mean the chat command /${meant}? Type it in the chat.`,
    /** `reason` is Node's own. */
    unknownOption: ({ reason }: OptionFault) => reason,
    optionLacksValue: ({ reason }: OptionFault) => reason,
    optionTakesNoValue: ({ reason }: OptionFault) => reason,
    meantOption: ({ reason, meant }: { readonly reason: string; readonly meant: string }) =>
      `${reason} Did you mean "--${meant}"?`,

    unwritableVariable: ({ file, name }: { readonly file: string; readonly name: string }) =>
      `${file} cannot hold this value of ${name}: it has characters that are read otherwise in any quotation marks. Set the variable in the environment of the service. Nothing was written.`,
    openQuote: ({ file, line }: { readonly file: string; readonly line: number }) =>
      `${file}:${line} opens a quotation mark and does not close it, which would swallow what is written below. Close it, and give the command again. Nothing was written.`,
    envNotUtf8: ({ file }: { readonly file: string }) =>
      `${file} is not UTF-8. Save it as UTF-8, and give the command again. Nothing was written.`,

    notRunning: ({ folder }: { readonly folder: string }) =>
      `Keyturn does not run: no process works with ${folder}. Start it, or name its config with --config FILE.`,
    unreachable: ({ file }: { readonly file: string }) =>
      `Keyturn runs, but cannot be reached at ${file}. It has just started or is ending, it is an older version, or its log says why there is no socket. Restart it if this stays so.`,
    othersSocket: ({ folder }: { readonly folder: string }) =>
      `The Keyturn that works with ${folder} runs as another user. Run this command as that user: sudo -u USER …`,
    otherDaemon:
      'The Keyturn that runs is another version than this command, and does not know what was asked. Restart it.',
    noAnswer: ({ why }: { readonly why: string | undefined }) =>
      `Keyturn did not answer${why === undefined ? '' : `: ${why}`}. Try again; if this stays so, its log says more.`,
    tooMuch: 'That is too long for one request.',

    warning: ({ text }: { readonly text: string }) => `Warning  ${text}`,
    note: ({ text }: { readonly text: string }) => `Note     ${text}`,
    usable: 'The config can be used.',
    unusable: 'The config cannot be used.',
    noChannel: 'no channel is enabled, so nobody could talk to it. Enable one: "terminal": { "enabled": true }.',
    firstConfig: ({ file, channels }: { readonly file: string; readonly channels: readonly string[] }) =>
      `There was no config, so ${file} was written, with what the environment has tokens for: ${channels.join(', ')}. From now on that file counts.`,
    noChannelForService:
      'no channel is on, and a service has no terminal, so nobody could talk to it. Switch one on, such as channels.telegram, with its token in .env.',
    onlyTerminal:
      'only the terminal is on. That is enough to chat here; a service has no terminal, and needs a channel or the gateway, or it ends with exit code 78.',
    notAFolder: ({ folder }: { readonly folder: string }) => `${folder} is not a folder.`,
    unusableHome: ({ folder, reason }: { readonly folder: string; readonly reason: string }) =>
      `${folder} cannot be used: ${reason}. It has to be a folder that this user may write to. Set KEYTURN_HOME to one.`,
    heardHead: ['Who is heard', 'owner', 'let in', 'stranger'],
    heard: {
      yes: 'yes',
      'when addressed': 'when addressed',
      code: 'the owner is asked',
      absent: 'no account here',
      no: 'no',
    },
    callsHead: ['Calls', 'for example', 'at first', 'after a web page'],

    emptyConfig: 'the file is empty. For a config of defaults alone, write {}.',
    goneConfig: 'the file is gone. For a config of defaults alone, write {} to it.',
    lastGoodHint: ({ kept }: { readonly kept: string }) =>
      `To start with the last config that worked, from ${kept}: --last-good`,
    lastGoodUsed: ({ kept }: { readonly kept: string }) =>
      `The config file cannot be used. The last one that worked, from ${kept}, is used instead.`,
    lackingSecrets: ({ kept, keys }: { readonly kept: string; readonly keys: string }) =>
      `The last config that worked, from ${kept}, cannot be used in its place: it lacks ${keys}, which stood only in this file. Mend the file. To have a complete copy next time, write such values into .env as NAME=value, and "\${NAME}" in the config.`,
    keptAt: ({ day, time }: { readonly day: string; readonly time: string }) => `${day}, ${time}`,
    ownFault: 'Keyturn could not start because of a fault of its own. Please report this:',
    ownFaultOf: ({ command }: { readonly command: string }) =>
      `keyturn ${command} failed because of a fault of its own. Please report this:`,

    /** What systemd shows of a service. */
    supervised: { runs: 'Keyturn runs', ends: 'Keyturn ends; what tools are doing may finish' },
    labels: {
      model: 'Model',
      chat: 'Chat',
      files: 'Files',
      data: 'Data',
      approval: 'Approval',
      untrusted: 'Untrusted',
      shell: 'Shell',
      proxy: 'Proxy',
      trusts: 'Trusts',
      devices: 'Devices',
      config: 'Config',
      warning: 'Warning',
    },
    modelBecause: ({ label, why }: { readonly label: string; readonly why: string }) => `${label}: ${why}`,
    offlineModel: ({ label }: { readonly label: string }) =>
      `${label}\nFor AI: ${ownCommand()} setup, or put ANTHROPIC_API_KEY=… into .env.`,
    certificates: ({ count }: { readonly count: number }) =>
      `${count} certificates of authorities that Node does not bring`,
    untrusted: ({ byAll, asks }: { readonly byAll: boolean; readonly asks: boolean }) =>
      `changes ${asks ? 'ask' : 'are refused'} after a web page, or a document from ${byAll ? 'anybody, you too' : 'others than owners'}`,
    harmless: 'no tool that could do harm is on',
    onlyReads: ({ mode }: { readonly mode: string }) => `${mode}: it only reads`,
    nothingAsks: ({ untilUntrusted }: { readonly untilUntrusted: boolean }) =>
      `nothing asks${untilUntrusted ? ' until untrusted content was read' : ''}`,
    asksBefore: ({ asking, free }: { readonly asking: readonly string[]; readonly free: readonly string[] }) =>
      `asks before ${asking.join(', ')}${free.length === 0 ? '' : `; not before ${free.join(', ')}`}`,
    shellAnd: ({ shell, bounds }: { readonly shell: string; readonly bounds: string }) => `${shell}, ${bounds}`,
    here: 'here, in this terminal',
    standardInput: 'lines on the standard input',
    pairedDevices: 'paired devices',
    channels: ({ channels }: { readonly channels: readonly string[] }) => channels.join(', '),
    listens: ({ address }: { readonly address: string }) => `at ${address}, if the port is free`,
    noConfig: ({ path }: { readonly path: string }) => `none needed yet: it would be ${path}`,
    runsAsRoot:
      'Keyturn runs as root, and tools.shell.max_processes does not apply to root. Run it as a user of its own.',
    openFolder: ({ folder }: { readonly folder: string }) =>
      `other users of this machine can enter the workspace ${folder}. To prevent that: chmod 700 ${folder}`,
    claim: ({ claims }: { readonly claims: readonly Claim[] }) =>
      `Next: make it yours. Write to your bot ${claims.map(({ channel, command }) => `in ${channel}:  ${command}`).join('\n  or ')}`,
    openLink: ({ channel, url }: StartLinkWords) => `Open ${url} (${channel}) and press START: you become the owner.`,
    openLinkAndClaim: ({ channel, url, command }: StartLinkWords & { readonly command: string }) =>
      `Open ${url} (${channel}) and send me ${command}: you become the owner.`,
    pageLink: ({ url }: { readonly url: string }) =>
      `In a browser: ${url}\nThe link signs you in once, within ten minutes. /web gives another one.`,
    pageElsewhere: ({ port }: { readonly port: number }) =>
      `Port ${port} is taken by another program, so the page is at another one this time.`,
    noPage: ({ why }: { readonly why: string }) => `The page cannot be opened in a browser. ${why}`,
    claimed: ({ principal }: { readonly principal: string }) =>
      `${principal} is the owner now. Write to the bot: it answers there.`,
    tryIt: 'Try  list the files  and then  run `date` : it asks first. ctrl-c twice ends it.',
    sayIt: 'Next: say what you want done. /help shows the commands; ctrl-c twice ends it.',

    hasFixes: ({ day }: { readonly day: string }) => `has the fixes of ${day}`,
    lacksFixes: ({ day }: { readonly day: string }) => `lacks the fixes of ${day}`,
    withNode: 'comes with Node',
    daysOld: ({ days, day }: { readonly days: number; readonly day: string }) => `${days} days old (${day})`,
    readsCommands: 'reads commands',
    noBash: 'reads commands, as there is no bash',
    /** What has no name of its own among the parts. */
    partNames: { Program: 'Program', Shell: 'Shell', Proxy: 'Proxy', Certificates: 'Certificates' },
    packed: 'packed',
    notPacked: 'not packed',
    wouldStartFaster: 'it starts faster after: npm run build',
    outdated: ({ file }: { readonly file: string }) =>
      `${file} is not as it was packed; it starts faster after: npm run build`,
    noProxy: 'none',
    more: ({ count }: { readonly count: number }) => `${count} more`,
    thanNode: 'than Node brings',
    notInstalled: 'not installed',
  },
  zh: {
    seeHelp: ({ command }) => `“${command} --help”会列出这个程序的全部用法。`,
    optionOfOthers: ({ option, command }) =>
      command === '' ? `${option} 要和一个命令一起用，启动时不能用。` : `“${command}”没有选项 ${option}。`,
    lacksOperand: ({ name, takes }) => `“${name}”后面缺少内容：写成 ${name} ${takes}。`,
    extraOperand: ({ name, extra, takes }) =>
      `“${name}”${takes === undefined ? '后面不带内容' : `后面只带 ${takes}`}：“${extra}”是多余的。`,
    groupNeeds: ({ group, commands }) => `“${group}”后面还缺一个词。可以用：${commands.join('、')}。`,
    oneOfTwo: '--strict 和 --last-good 只能用一个。',
    noCommand: ({ written }) => `没有命令“${written}”。`,
    startsWithout: ({ written }) => `没有命令“${written}”。不带命令运行就会启动。`,
    meantCommand: ({ written, meant }) => `没有命令“${written}”。是不是想用“${meant}”？`,
    chatCommand: ({ name }) => `“${name}”是聊天命令：在聊天中输入 /${name}。`,
    meantChatCommand: ({ written, meant }) => `没有命令“${written}”。是不是想用聊天命令 /${meant}？在聊天中输入它。`,
    unknownOption: ({ option }) => `没有选项“${option}”。`,
    optionLacksValue: ({ option }) => `选项“${option}”后面缺少值。`,
    optionTakesNoValue: ({ option }) => `选项“${option}”不带值。`,
    meantOption: ({ reason, meant }) => `${reason}是不是想用“--${meant}”？`,

    unwritableVariable: ({ file, name }) =>
      `${file} 写不了 ${name} 的这个值：其中的字符放在任何引号里都会被读成别的。请把这个变量设置在服务的环境里。没有写入任何内容。`,
    openQuote: ({ file, line }) =>
      `${file}:${line} 有一个没有结束的引号，会吞掉写在它下面的内容。请补上引号，再执行一次命令。没有写入任何内容。`,
    envNotUtf8: ({ file }) => `${file} 不是 UTF-8 编码。把它存为 UTF-8，再执行一次命令。没有写入任何内容。`,

    notRunning: ({ folder }) => `Keyturn 没有在运行：没有进程使用 ${folder}。启动它，或用 --config FILE 指定它的配置。`,
    unreachable: ({ file }) =>
      `Keyturn 正在运行，但无法通过 ${file} 联系到它。它可能刚启动、正在退出，或是旧版本；日志里写着为什么没有这个套接字。一直这样就重启它。`,
    othersSocket: ({ folder }) => `使用 ${folder} 的 Keyturn 由另一个用户运行。用那个用户执行这个命令：sudo -u USER …`,
    otherDaemon: '正在运行的 Keyturn 和这个命令版本不同，不认识这个请求。重启它。',
    noAnswer: ({ why }) => `Keyturn 没有回答${why === undefined ? '' : `：${why}`}。再试一次；一直这样就看它的日志。`,
    tooMuch: '这个请求太长了。',

    warning: ({ text }) => `警告  ${text}`,
    note: ({ text }) => `提示  ${text}`,
    usable: '配置可以使用。',
    unusable: '配置无法使用。',
    noChannel: '没有开启任何渠道，没有人能和它对话。开启一个："terminal": { "enabled": true }。',
    firstConfig: ({ file, channels }) =>
      `没有配置，所以写了 ${file}，开启了环境变量里有令牌的渠道：${channels.join('、')}。从现在起以这个文件为准。`,
    noChannelForService:
      '没有开启任何渠道，而服务没有终端，没有人能和它对话。开启一个，例如 channels.telegram，令牌写在 .env 里。',
    onlyTerminal:
      '只开启了终端。在这里聊天足够了；作为服务运行时没有终端，需要一个渠道或网关，否则会以退出码 78 结束。',
    notAFolder: ({ folder }) => `${folder} 不是文件夹。`,
    unusableHome: ({ folder, reason }) =>
      `无法使用 ${folder}：${reason}。它必须是当前用户可以写入的文件夹。用 KEYTURN_HOME 指定一个。`,
    heardHead: ['听谁的消息', '所有者', '已放行的人', '陌生人'],
    heard: {
      yes: '是',
      'when addressed': '提到它时',
      code: '先问所有者',
      absent: '这里没有账号',
      no: '否',
    },
    callsHead: ['调用', '例如', '开始时', '读过网页后'],

    emptyConfig: '文件是空的。只用默认设置的话，写入 {}。',
    goneConfig: '文件不见了。只用默认设置的话，写入 {}。',
    lastGoodHint: ({ kept }) => `要用上一份可用的配置（${kept}）启动：--last-good`,
    lastGoodUsed: ({ kept }) => `配置文件无法使用。改用上一份可用的配置（${kept}）。`,
    lackingSecrets: ({ kept, keys }) =>
      `上一份可用的配置（${kept}）也不能代替它：缺少 ${keys}，它们只写在这个文件里。修好这个文件。要让下次的副本完整，把这些值以 NAME=value 写进 .env，在配置中写 "\${NAME}"。`,
    keptAt: ({ day, time }) => `${day} ${time}`,
    ownFault: 'Keyturn 因自身的错误无法启动。请报告以下内容：',
    ownFaultOf: ({ command }) => `keyturn ${command} 因自身的错误没有完成。请报告以下内容：`,

    supervised: { runs: 'Keyturn 正在运行', ends: 'Keyturn 正在结束；工具可以把手上的事做完' },
    labels: {
      model: '模型',
      chat: '聊天',
      files: '文件',
      data: '数据',
      approval: '批准',
      untrusted: '不可信',
      shell: 'Shell',
      proxy: '代理',
      trusts: '证书',
      devices: '设备',
      config: '配置',
      warning: '警告',
    },
    modelBecause: ({ label, why }) => `${label}：${why}`,
    offlineModel: () =>
      `离线模型（只匹配句式，不是 AI）\n要用 AI：${ownCommand()} setup，或把 ANTHROPIC_API_KEY=… 写进 .env。`,
    certificates: ({ count }) => `另外信任 ${count} 个 Node 不自带的机构证书`,
    untrusted: ({ byAll, asks }) =>
      `读过网页，或${byAll ? '任何人（包括你）' : '所有者以外的人'}发来的文档后，修改${asks ? '要先问' : '会被拒绝'}`,
    harmless: '没有开启任何可能造成损害的工具',
    onlyReads: ({ mode }) => `${mode}：只读`,
    nothingAsks: ({ untilUntrusted }) => (untilUntrusted ? '读到不可信内容之前都不问' : '什么都不问'),
    asksBefore: ({ asking, free }) =>
      `使用 ${asking.join('、')} 之前先问${free.length === 0 ? '' : `；${free.join('、')} 不问`}`,
    shellAnd: ({ shell, bounds }) => `${shell}，${bounds}`,
    here: '就在这个终端',
    standardInput: '标准输入的每一行',
    pairedDevices: '已配对的设备',
    channels: ({ channels }) => channels.join('、'),
    listens: ({ address }) => `${address}（如果端口空闲）`,
    noConfig: ({ path }) => `暂不需要；要写就写在 ${path}`,
    runsAsRoot: 'Keyturn 以 root 运行，tools.shell.max_processes 对 root 不起作用。给它一个单独的用户。',
    openFolder: ({ folder }) => `这台机器的其他用户可以进入工作区 ${folder}。要防止：chmod 700 ${folder}`,
    claim: ({ claims }) =>
      `下一步：认领它。给你的机器人发消息，${claims.map(({ channel, command }) => `在 ${channel}：${command}`).join('\n  或者 ')}`,
    openLink: ({ channel, url }) => `打开 ${url}（${channel}），按 START：你就成为所有者。`,
    openLinkAndClaim: ({ channel, url, command }) => `打开 ${url}（${channel}），发送 ${command}：你就成为所有者。`,
    pageLink: ({ url }) => `在浏览器中打开：${url}\n链接在十分钟内可登录一次。/web 会给你新的链接。`,
    pageElsewhere: ({ port }) => `端口 ${port} 被其他程序占用，所以网页这次用了另一个端口。`,
    noPage: ({ why }) => `无法在浏览器中打开网页。${why}`,
    claimed: ({ principal }) => `所有者现在是 ${principal}。给机器人发消息，它会在那里回答。`,
    tryIt: '试试：输入“列出文件”，再输入“运行 `date`”，它会先问你。按两次 ctrl-c 结束。',
    sayIt: '下一步：说出你要做的事。/help 列出命令；按两次 ctrl-c 结束。',

    hasFixes: ({ day }) => `含 ${day} 的修复`,
    lacksFixes: ({ day }) => `缺少 ${day} 的修复`,
    withNode: '随 Node 提供',
    daysOld: ({ days, day }) => `${days} 天前发布（${day}）`,
    readsCommands: '用来解析命令',
    noBash: '用来解析命令，因为没有 bash',
    partNames: { Program: '程序', Shell: '命令解释器', Proxy: '代理', Certificates: '证书' },
    packed: '已打包',
    notPacked: '未打包',
    wouldStartFaster: '运行 npm run build 之后启动更快',
    outdated: ({ file }) => `${file} 与打包时不同；再次运行 npm run build 之后启动更快`,
    noProxy: '无',
    more: ({ count }) => `另有 ${count} 个`,
    thanNode: 'Node 不自带',
    notInstalled: '未安装',
  },
});

/** A word too many behind a command. */
interface ExtraOperand {
  readonly name: string;
  readonly extra: string;
  /** What the command takes, if anything. */
  readonly takes: string | undefined;
}

/** What Node says is wrong with an option. */
interface OptionFault {
  readonly reason: string;
  readonly option: string;
}

/** Where somebody opens a chat with the bot. */
interface StartLinkWords {
  readonly channel: string;
  readonly url: string;
}

/** What makes somebody the owner, in the way of a channel. */
interface Claim {
  readonly channel: string;
  readonly command: string;
}
