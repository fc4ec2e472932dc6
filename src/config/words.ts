/* What is wrong with a config: its values, its keys, what it names, and what it lacks. */

import { apart } from '../lib/settings/words.ts';
import { catalogue } from '../lib/words.ts';

/** A name that was probably meant. */
type Meant = string | undefined;

function didYouMean(meant: Meant): string {
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

function meantHere(meant: Meant): string {
  return meant === undefined ? '' : `是不是想写 "${meant}"？`;
}

/** The same within brackets. */
function inBrackets(meant: Meant): string {
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

function inWideBrackets(meant: Meant): string {
  return meant === undefined ? '' : `（是不是想写 "${meant}"？）`;
}

/** Why a model is the default. */
export type WhyModel =
  | { readonly because: 'offline' | 'only' | 'chosen' | 'none' }
  | { readonly because: 'variable'; readonly variable: string };

/** Where somebody is heard: directly, in a group, or in groups that are not named. */
interface HeardIn {
  readonly channel: string;
  readonly group: string | undefined;
  readonly isDirect: boolean;
}

/** `expected` continues "expected"; `known` and `allowed` have quotation marks and their "or". */
export const configWords = catalogue({
  en: {
    openFile: ({ path }: { readonly path: string }) =>
      `${path} can be read by other users of this machine, and may contain secrets. Run: chmod 600 "${path}"`,
    looksPrivate: ({ key, word }: { readonly key: string; readonly word: string }) =>
      `${key} looks private (${word}), and nothing says whether it is. Write "private": true if its answers are not for others: without it, a page may have them sent to any address that only is read.`,

    unknownKey: 'unknown key.',
    unknownKeyMeant: ({ meant }: { readonly meant: string }) => `unknown key. Did you mean "${meant}"?`,
    unknownKeyElsewhere: ({ advice }: { readonly advice: string }) => `unknown key. ${advice}`,
    unknownKeyOfMany: 'unknown key: remove it, or see docs/config.md, which has all keys.',
    unknownKeyExpected: ({ known }: { readonly known: string }) => `unknown key. Expected ${known}.`,
    badKey: ({ text }: { readonly text: string }) => `this key is invalid: ${text}`,
    badKeyExpected: ({ expected }: { readonly expected: string }) => `this key is invalid: expected ${expected}.`,
    repeatedKey: 'this key appears twice. Keep one of them.',
    sentence: ({ text }: { readonly text: string }) => (/[.!?]$/.test(text) ? text : `${text}.`),
    missing: ({ expected, advice }: { readonly expected: string; readonly advice: readonly string[] }) =>
      [`missing. Expected ${expected}.`, ...advice].join(' '),
    found: ({
      expected,
      found,
      meant,
      advice,
    }: {
      readonly expected: string;
      readonly found: string;
      readonly meant: Meant;
      readonly advice: readonly string[];
    }) => [`expected ${expected}, but found ${found}.${didYouMean(meant)}`, ...advice].join(' '),
    aList: 'a list',
    anObject: 'an object',
    aString: 'a string',
    hidden: ({ type }: { readonly type: 'string' | 'number' | 'boolean' }) => `a ${type} that is not shown here`,
    notShown: '(not shown)',
    more: 'there are more faults than these.',

    noConfigFile: 'there is no such file.',
    leftOut: 'this secret was left out of the backup that the config comes from. Write it here again.',
    notUtf8: 'the file is not UTF-8. Save it as UTF-8.',
    unreadable: ({ reason }: { readonly reason: 'denied' | 'folder' | 'not-folder' | { readonly code: string } }) =>
      `can't be read: ${
        typeof reason === 'object'
          ? reason.code
          : {
              denied: 'this user may not read it',
              folder: 'it is a folder',
              'not-folder': 'a part of its path is not a folder',
            }[reason]
      }.`,
    quoteOpen: 'this quotation mark is never closed.',
    setsNothing: 'this line sets nothing: write it as NAME=value.',
    unsetVariable: ({ name, file, meant }: { readonly name: string; readonly file: string; readonly meant: Meant }) =>
      `the variable ${name} is not set. Set it in the environment, or in ${file}.${meant === undefined ? '' : `${didYouMean(meant)} That one is set.`}`,
    unsetVariableNamed: ({ name, at, fault }: { readonly name: string; readonly at: string; readonly fault: string }) =>
      `the variable ${name} is not set, but ${at} names it: ${fault}`,
    malformedVariable: `"\${" must be followed by the name of a variable and "}", as in "\${NAME}". For the characters themselves, write "$\${".`,

    agentDefaults: 'this would be an agent to delegate to. Settings of the assistant itself are in "agent".',
    offlineIsNone: '"offline" means that no model is used. Choose another name.',
    whichModel: ({ known }: { readonly known: string }) =>
      `missing. There are several models: say which one to use, ${known}.`,
    ownFallback: 'a model cannot be its own fallback. Remove it.',
    fallbackCircle: ({ other, name }: { readonly other: string; readonly name: string }) =>
      `a circle: "${other}" also falls back to "${name}". Remove one of the two.`,
    noAgents: ({ found }: { readonly found: string }) => `agents has no ${found}. Describe it there.`,
    noAgent: ({ found, known, meant }: { readonly found: string; readonly known: string; readonly meant: Meant }) =>
      `agents has no ${found}. Expected ${known}.${didYouMean(meant)}`,
    noModel: ({ found }: { readonly found: string }) => `models has no ${found}.`,
    noModelDescribe: ({
      found,
      provider,
      name,
    }: {
      readonly found: string;
      readonly provider: string;
      readonly name: string;
    }) =>
      `models has no ${found}. Describe it in models: "models": { "main": { "provider": ${provider}, "name": "${name}" } }, "model": "main".`,
    noModelExpected: ({
      found,
      known,
      meant,
    }: {
      readonly found: string;
      readonly known: string;
      readonly meant: Meant;
    }) => `models has no ${found}. Expected ${known}.${didYouMean(meant)}`,
    sameAccount: ({ place }: { readonly place: string }) =>
      `this account is already in ${place}. Remove one of the two.`,
    asksNothing:
      '"require_for_tools" asks about nothing, because approval.require_for is empty. List tools there, such as ["shell", "write_file"], or choose "require_for_dangerous".',
    noToolMatches: ({ rule }: { readonly rule: string }) => `no tool name matches "${rule}".`,
    noTool: ({ rule, meant, isUnsure }: { readonly rule: string; readonly meant: Meant; readonly isUnsure: boolean }) =>
      `there is no tool "${rule}".${didYouMean(meant)}${isUnsure ? ` If a plugin, file, server or device provides it, write "${rule}*".` : ''}`,
    noCommand: ({ name, meant }: { readonly name: string; readonly meant: Meant }) =>
      `there is no command "${name}".${didYouMean(meant)}`,
    noSearchKey: 'duckduckgo takes no api_key. Choose the engine that the key is for.',
    searchNeeds: ({ engine, key }: { readonly engine: string; readonly key: string }) =>
      `"${engine}" needs tools.web_search.${key}. Set it.`,
    sameToolName: 'a tool above has the same name. Choose another.',
    noSchema: ({ fault }: { readonly fault: string }) => `not a usable JSON Schema: ${fault}.`,
    noKey: ({ variables }: { readonly variables: readonly string[] }) =>
      `missing, and ${variables.join(' or ')} is not set in the environment or .env.`,

    writeProvider: ({ address }: { readonly address: string }) =>
      `Write "provider": "openai_compatible" and "base_url": "${address}".`,
    meantKey: ({ key }: { readonly key: string }) => `Did you mean "${key}"?`,
    elsewhere: {
      owners: 'Owners are listed in "owners", at the top of the config: "owners": ["telegram:123456"].',
      models:
        'A model is described in models: "models": { "main": { "provider": "anthropic", "name": "claude-…" } }, "model": "main".',
      contextTokens: 'The largest request is agent.context_tokens, or models.NAME.context_tokens for one model.',
      ofProvider: 'Keyturn leaves this to the provider and has no such key: remove it.',
      chats:
        'The prompt, model and agent of a chat stand in "chats", at the top of the config: "chats": { "telegram:-1001": { "prompt": "…" } }.',
      instructions: 'Instructions are in agent.instructions.',
      log: 'Write it as "log": { "level": "debug" }.',
      tasks: 'Tasks are planned in the chat ("remind me …", "every Monday …"), not in the config: remove it.',
      nowhere: 'Keyturn has no such key: remove it.',
    },

    cannotWrite: ({ folder }: { readonly folder: string }) =>
      `this user cannot write to ${folder}. Change its owner or mode, or choose another folder.`,
    noFolder: ({ folder }: { readonly folder: string }) =>
      `there is no folder ${folder}. Make it, or correct the path.`,
    noProgram: ({ program }: { readonly program: string }) =>
      `there is no program "${program}" on the PATH of Keyturn. Install it, or write its whole path.`,
    noFile: ({ file }: { readonly file: string }) => `there is no file ${file}. Correct the path.`,
    notExecutable: ({ file }: { readonly file: string }) => `${file} cannot be executed. Run: chmod +x "${file}"`,
    needsSandbox: ({ missing }: { readonly missing: readonly string[] }) =>
      `this needs the sandbox, and ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not on the PATH: apt install bubblewrap socat.`,
    nothingListens: ({ address }: { readonly address: string }) =>
      `nothing listens at ${address}. Start that server, or correct the address.`,
    portTaken: ({ host, port }: { readonly host: string; readonly port: number }) =>
      `another program listens at ${host}:${port}. End it, or choose another port.`,
    portDenied: ({ port }: { readonly port: number }) =>
      `this user may not listen at port ${port}. Choose one from 1024 on.`,
    noAddress: ({ host }: { readonly host: string }) =>
      `this machine has no address ${host}. Choose one of its own, such as 127.0.0.1.`,
    cannotListen: ({ host, port, code }: { readonly host: string; readonly port: number; readonly code: string }) =>
      `nothing can listen at ${host}:${port} (${code}).`,
    badVariable: ({ name, fault }: { readonly name: string; readonly fault: string }) =>
      `The variable ${name} cannot be used: ${fault} To use no proxy, set network.proxy to "none".`,
    noSuchFile: 'there is no such file',
    variableIdle: ({ name, path, fault }: { readonly name: string; readonly path: string; readonly fault: string }) =>
      `${name} has no effect here: ${path}: ${fault}.`,

    whyModel: (why: WhyModel) => {
      if (why.because === 'variable') return `${why.variable} is set, and the config has no models`;
      return {
        offline: 'the config chooses to work offline',
        only: 'the only one in the config',
        chosen: 'chosen in the config',
        none: 'the config has no models, and none of ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY is set',
      }[why.because];
    },

    toAnotherChat: 'to another chat',
    heardIn: ({ channel, group, isDirect }: HeardIn) =>
      `${channel}, ${isDirect ? 'directly' : group === undefined ? 'other groups' : `group ${group}`}`,
    fates: { runs: 'runs', asks: 'asks', 'is refused': 'is refused', 'is off': 'is off' },
  },
  zh: {
    openFile: ({ path }) => `这台机器的其他用户可以读取 ${path}，其中可能有密钥。运行：chmod 600 "${path}"`,
    looksPrivate: ({ key, word }) =>
      `${key} 看起来涉及隐私（${word}），但没有写明。如果它的结果不该给别人看，写上 "private": true：否则网页内容可能借一次读取，把结果发到任意地址。`,

    unknownKey: '未知的键。',
    unknownKeyMeant: ({ meant }) => `未知的键。是不是想写 "${meant}"？`,
    unknownKeyElsewhere: ({ advice }) => `未知的键。${advice}`,
    unknownKeyOfMany: '未知的键：删掉它，或查看 docs/zh/config.md，那里说明怎样查全部的键。',
    unknownKeyExpected: ({ known }) => `未知的键。应为${apart(known)}。`,
    badKey: ({ text }) => `这个键无效：${text}`,
    badKeyExpected: ({ expected }) => `这个键无效：应为${apart(expected)}。`,
    repeatedKey: '这个键出现了两次。只保留一个。',
    sentence: ({ text }) => (/[.!?。！？]$/.test(text) ? text : `${text}。`),
    missing: ({ expected, advice }) => [`缺少这一项。应为${apart(expected)}。`, ...advice].join(''),
    found: ({ expected, found, meant, advice }) =>
      [`应为${apart(expected)}，但写的是${apart(found)}。${meantHere(meant)}`, ...advice].join(''),
    aList: '列表',
    anObject: '对象',
    aString: '字符串',
    hidden: ({ type }) => `不在这里显示的${{ string: '字符串', number: '数字', boolean: '布尔值' }[type]}`,
    notShown: '（未显示）',
    more: '错误不止这些。',

    noConfigFile: '没有这个文件。',
    leftOut: '配置来自备份，备份中没有这个密钥。在这里重新写入它。',
    notUtf8: '文件不是 UTF-8 编码。把它存为 UTF-8。',
    unreadable: ({ reason }) =>
      `无法读取：${
        typeof reason === 'object'
          ? reason.code
          : { denied: '当前用户无权读取', folder: '它是文件夹', 'not-folder': '路径中有一部分不是文件夹' }[reason]
      }。`,
    quoteOpen: '这个引号没有结束。',
    setsNothing: '这一行没有设置任何变量：写成 NAME=value。',
    unsetVariable: ({ name, file, meant }) =>
      `变量 ${name} 没有设置。在环境变量或 ${file} 中设置它。${meant === undefined ? '' : `${meantHere(meant)}那个已设置。`}`,
    unsetVariableNamed: ({ name, at, fault }) => `变量 ${name} 没有设置，但 ${at} 提到了它：${fault}`,
    malformedVariable: `"\${" 后面必须是变量名和 "}"，例如 "\${NAME}"。要写这两个字符本身，写 "$\${"。`,

    agentDefaults: '这会成为一个接受委派的代理。助手自己的设置在 "agent" 中。',
    offlineIsNone: '"offline" 表示不使用任何模型。换一个名称。',
    whichModel: ({ known }) => `缺少这一项。有多个模型：写明用哪一个，${known}。`,
    ownFallback: '模型不能是它自己的后备。删掉它。',
    fallbackCircle: ({ other, name }) => `形成了循环："${other}" 的后备也是 "${name}"。删掉其中一个。`,
    noAgents: ({ found }) => `agents 中没有${apart(found)}。在那里描述它。`,
    noAgent: ({ found, known, meant }) => `agents 中没有${apart(found)}。应为${apart(known)}。${meantHere(meant)}`,
    noModel: ({ found }) => `models 中没有${apart(found)}。`,
    noModelDescribe: ({ found, provider, name }) =>
      `models 中没有${apart(found)}。在 models 中描述它："models": { "main": { "provider": ${provider}, "name": "${name}" } }, "model": "main"。`,
    noModelExpected: ({ found, known, meant }) =>
      `models 中没有${apart(found)}。应为${apart(known)}。${meantHere(meant)}`,
    sameAccount: ({ place }) => `这个账号已经在 ${place} 中。删掉其中一个。`,
    asksNothing:
      '"require_for_tools" 什么都不问，因为 approval.require_for 是空的。在那里列出工具，例如 ["shell", "write_file"]，或改用 "require_for_dangerous"。',
    noToolMatches: ({ rule }) => `没有工具名与 "${rule}" 匹配。`,
    noTool: ({ rule, meant, isUnsure }) =>
      `没有工具 "${rule}"。${meantHere(meant)}${isUnsure ? `如果它来自插件、文件、服务器或设备，写 "${rule}*"。` : ''}`,
    noCommand: ({ name, meant }) => `没有命令 "${name}"。${meantHere(meant)}`,
    noSearchKey: 'duckduckgo 不用 api_key。选择这个密钥所属的搜索引擎。',
    searchNeeds: ({ engine, key }) => `"${engine}" 需要 tools.web_search.${key}。设置它。`,
    sameToolName: '上面有同名的工具。换一个名称。',
    noSchema: ({ fault }) => `不是可用的 JSON Schema：${fault}。`,
    noKey: ({ variables }) => `缺少这一项，环境变量和 .env 中也没有设置 ${variables.join(' 或 ')}。`,

    writeProvider: ({ address }) => `写 "provider": "openai_compatible" 和 "base_url": "${address}"。`,
    meantKey: ({ key }) => `是不是想写 "${key}"？`,
    elsewhere: {
      owners: '所有者列在配置顶层的 "owners" 中："owners": ["telegram:123456"]。',
      models:
        '模型在 models 中描述："models": { "main": { "provider": "anthropic", "name": "claude-…" } }, "model": "main"。',
      contextTokens: '最大的请求由 agent.context_tokens 决定；单个模型用 models.NAME.context_tokens。',
      ofProvider: 'Keyturn 把这一项交给服务商决定，没有这个键：删掉它。',
      chats: '聊天的提示词、模型和代理写在配置顶层的 "chats" 中："chats": { "telegram:-1001": { "prompt": "…" } }。',
      instructions: '说明写在 agent.instructions 中。',
      log: '写成 "log": { "level": "debug" }。',
      tasks: '任务在聊天中安排（“提醒我……”“每周一……”），不写在配置中：删掉它。',
      nowhere: 'Keyturn 没有这个键：删掉它。',
    },

    cannotWrite: ({ folder }) => `当前用户无法写入 ${folder}。更改它的所有者或权限，或换一个文件夹。`,
    noFolder: ({ folder }) => `没有文件夹 ${folder}。创建它，或改正路径。`,
    noProgram: ({ program }) => `Keyturn 的 PATH 中没有程序 "${program}"。安装它，或写出完整路径。`,
    noFile: ({ file }) => `没有文件 ${file}。改正路径。`,
    notExecutable: ({ file }) => `${file} 无法执行。运行：chmod +x "${file}"`,
    needsSandbox: ({ missing }) => `这需要沙箱，而 PATH 中没有 ${missing.join(' 和 ')}：apt install bubblewrap socat。`,
    nothingListens: ({ address }) => `${address} 上没有程序在监听。启动那个服务器，或改正地址。`,
    portTaken: ({ host, port }) => `另一个程序在监听 ${host}:${port}。结束它，或换一个端口。`,
    portDenied: ({ port }) => `当前用户无权监听端口 ${port}。选 1024 或更大的端口。`,
    noAddress: ({ host }) => `这台机器没有地址 ${host}。选它自己的地址，例如 127.0.0.1。`,
    cannotListen: ({ host, port, code }) => `无法监听 ${host}:${port}（${code}）。`,
    badVariable: ({ name, fault }) => `无法使用变量 ${name}：${fault}不用代理的话，把 network.proxy 设为 "none"。`,
    noSuchFile: '没有这个文件',
    variableIdle: ({ name, path, fault }) => `${name} 在这里不起作用：${path}：${fault}。`,

    whyModel: (why) => {
      if (why.because === 'variable') return `设置了 ${why.variable}，而配置中没有模型`;
      return {
        offline: '配置选择离线工作',
        only: '配置中只有这一个',
        chosen: '配置选择了它',
        none: '配置中没有模型，也没有设置 ANTHROPIC_API_KEY、OPENAI_API_KEY 或 GEMINI_API_KEY',
      }[why.because];
    },

    toAnotherChat: '发到另一个聊天',
    heardIn: ({ channel, group, isDirect }) =>
      `${channel}，${isDirect ? '私聊' : group === undefined ? '其他群' : `群 ${group}`}`,
    fates: { runs: '直接运行', asks: '先询问', 'is refused': '被拒绝', 'is off': '已关闭' },
  },
});

/** What the values of single settings have to be: texts of a schema, which begin with "expected" if they name what is. */
export const settingWords = catalogue({
  en: {
    tool: 'expected the name of a tool, "prefix*", "*suffix" or "*"',
    onlyToolNames: 'only tool names are allowed here. For whole categories, use approval.dangerous_categories.',
    ownToolName: 'expected 1 to 64 letters, digits, "_" or "-"',
    variable: 'expected the name of an environment variable, such as "LANG"',
    ownVariable: 'names that begin with KEYTURN_ are reserved. Choose another.',
    person: ({ channels, meant }: { readonly channels: string; readonly meant: Meant }) =>
      `expected "channel:id", such as "telegram:123456", with the channel ${channels}${inBrackets(meant)} and an id that never changes, not a @name`,
    approver: ({ channels, meant }: { readonly channels: string; readonly meant: Meant }) =>
      `expected "owner" or "channel:id", with the channel ${channels}${inBrackets(meant)} and an id that never changes, not a @name`,
    conversation: ({ channels, meant }: { readonly channels: string; readonly meant: Meant }) =>
      `expected "channel:chat", such as "telegram:-1001", with the channel ${channels}${inBrackets(meant)} and an id that never changes, not a @name`,
    place: ({ channels, meant }: { readonly channels: string; readonly meant: Meant }) =>
      `expected "channel" or "channel:chat", with the channel ${channels}${inBrackets(meant)} and an id that never changes, not a @name`,
    toolRule: ({ categories }: { readonly categories: readonly string[] }) =>
      `expected the name of a tool, "prefix*", "*suffix", "*", or "category:" with one of ${categories.join(', ')}`,
    domain: 'expected a host such as "api.example.com" or "*.example.com", without "https://" and path',
    placeholders: ({ known, meant }: { readonly known: readonly string[]; readonly meant: Meant }) =>
      `only ${known.join(', ')} may be in braces.${didYouMean(meant)}`,
    httpUrl: 'expected a URL such as "https://search.example.com"',
    headerName: 'expected the name of an HTTP header, such as "X-Team"',
    headerOfOurs: 'expected a header that Keyturn does not set itself',
    headerValue: 'expected one line of Latin-1 characters, as HTTP headers allow',
    apiAddress: 'expected an address that begins with http:// or https://',
    apiPath: 'the address must end with its path, without "?" or "#": "http://127.0.0.1:11434/v1".',
    apiPassword: 'the address contains a user name or password. Use api_key or headers instead.',
    spokenLanguage: 'expected a code of two or three letters, such as "de"',
    currency: 'expected the code of a currency, such as "EUR"',
    folderName: 'expected the name of one folder, without slashes: it is made in the workspace',
    nameInWorkspace: 'expected a name in the workspace, such as ".envrc" or ".git/hooks/"',
    command: 'expected a command',
    commandWithoutNul: 'expected a command without NUL characters',
    innerFolder: 'expected a folder in the workspace, such as "reports", without a leading "/" or ".."',
    agentName: 'expected letters, digits, "_" and "-", beginning with a letter',
  },
  zh: {
    tool: '应为工具名、"prefix*"、"*suffix" 或 "*"',
    onlyToolNames: '这里只能写工具名。整个类别用 approval.dangerous_categories。',
    ownToolName: '应为 1 到 64 个字母、数字、"_" 或 "-"',
    variable: '应为环境变量名，例如 "LANG"',
    ownVariable: '以 KEYTURN_ 开头的名称是保留的。换一个。',
    person: ({ channels, meant }) =>
      `应为 "channel:id"，例如 "telegram:123456"，其中渠道是 ${channels}${inWideBrackets(meant)}，id 要永不改变，不能是 @name`,
    approver: ({ channels, meant }) =>
      `应为 "owner" 或 "channel:id"，其中渠道是 ${channels}${inWideBrackets(meant)}，id 要永不改变，不能是 @name`,
    conversation: ({ channels, meant }) =>
      `应为 "channel:chat"，例如 "telegram:-1001"，其中渠道是 ${channels}${inWideBrackets(meant)}，id 要永不改变，不能是 @name`,
    place: ({ channels, meant }) =>
      `应为 "channel" 或 "channel:chat"，其中渠道是 ${channels}${inWideBrackets(meant)}，id 要永不改变，不能是 @name`,
    toolRule: ({ categories }) =>
      `应为工具名、"prefix*"、"*suffix"、"*"，或 "category:" 加上其中一个类别：${categories.join('、')}`,
    domain: '应为主机名，例如 "api.example.com" 或 "*.example.com"，不带 "https://" 和路径',
    placeholders: ({ known, meant }) => `花括号中只能是 ${known.join('、')}。${meantHere(meant)}`,
    httpUrl: '应为网址，例如 "https://search.example.com"',
    headerName: '应为 HTTP 标头名，例如 "X-Team"',
    headerOfOurs: '应为 Keyturn 自己不设置的标头',
    headerValue: '应为一行 Latin-1 字符，因为 HTTP 标头只允许这些',
    apiAddress: '应为以 http:// 或 https:// 开头的地址',
    apiPath: '地址必须以路径结尾，不带 "?" 或 "#"："http://127.0.0.1:11434/v1"。',
    apiPassword: '地址中含有用户名或密码。改用 api_key 或 headers。',
    spokenLanguage: '应为两三个字母的语言代码，例如 "de"',
    currency: '应为货币代码，例如 "EUR"',
    folderName: '应为一个文件夹的名称，不带斜杠：它会建在工作区中',
    nameInWorkspace: '应为工作区中的名称，例如 ".envrc" 或 ".git/hooks/"',
    command: '应为命令',
    commandWithoutNul: '应为不含 NUL 字符的命令',
    innerFolder: '应为工作区中的文件夹，例如 "reports"，开头不带 "/" 或 ".."',
    agentName: '应为字母、数字、"_" 和 "-"，以字母开头',
  },
});
