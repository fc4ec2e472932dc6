/* What a config allows, and may be a mistake. */

import { catalogue } from '../../lib/words.ts';

/** What `security.taint` makes of calls that nothing else asks about. */
type Taint = 'off' | 'ask' | 'deny';

/** What a folder is, or holds, that is not for tools. */
export type Held = 'disk' | 'home' | 'homes' | 'keys' | 'system' | 'in-system';

/** What a command may do that runs without asking. */
export type Grave =
  | 'downloaded_code'
  | 'recursive_deletion'
  | 'system_change'
  | 'privilege'
  | 'deletion'
  | 'network_listener'
  | 'hidden_code'
  | 'upload';

/** Why calls are not asked about. */
export type Unasked = 'autonomous' | 'tools' | 'dangerous';

/** Where patterns of hosts let anybody in. */
export type OpenList =
  | 'tools.shell.allowed_domains'
  | 'tools.http_request.allowed_domains'
  | 'tools.network.trusted_domains';

/** What a workspace holds that file tools refuse. */
type Contained = 'database' | 'config';

export const warningWords = catalogue({
  en: {
    approvalOff: ({ taint }: { readonly taint: Taint }) =>
      `approval.enabled is false: tools run without asking anybody${untilTaint[taint]}.`,
    alwaysAllow: ({ taint }: { readonly taint: Taint }) =>
      `approval.policy is "always_allow": tools run without asking anybody${untilTaint[taint]}.`,
    noApprovers: 'approval.approvers is empty: nobody can approve anything.',
    requireForIdle: ({ policy, mode }: { readonly policy: string; readonly mode: string }) =>
      `approval.require_for has no effect under the policy "${policy}" in the mode "${mode}".`,
    agentModeIdle: ({ name }: { readonly name: string }) =>
      `agents.${name}.mode has no effect: agent.mode is stricter.`,
    taintOff: 'security.taint is "off": nothing more asks after untrusted content.',
    trustsOwners:
      'attachments.trust_owners is true: what a document says counts as trusted if an owner sends it, whoever wrote it.',
    trustsAll: 'tools.network.trusted_domains has "*": no web page counts as untrusted.',
    openChannel: ({ channel }: { readonly channel: string }) =>
      `channels.${channel}.allow_from has "*": everybody may talk to it there.`,
    openGroup: ({ channel, group }: { readonly channel: string; readonly group: string }) =>
      `channels.${channel}.groups["${group}"].allow_from has "*": everybody in that group may talk to it.`,
    oneFolder: ({ folder }: { readonly folder: string }) =>
      `workspace and data_dir are the same folder, ${folder}: tools cannot use any file in it. Use two folders.`,
    keySpaces: ({ key }: KeyOf) => `${key} has blanks at its beginning or end, which are sent with it. Remove them.`,
    keyBearer: ({ key }: KeyOf) => `${key} begins with "Bearer", which Keyturn adds itself. Write the key alone.`,
    keyVariable: ({ key }: KeyOf) =>
      `${key} looks like the name of a variable, and would be sent as it is. Write "\${NAME}", with braces.`,
    keyPlaceholder: ({ key }: KeyOf) =>
      `${key} is still the text of an example. Put the key into .env as NAME=…, and write "\${NAME}".`,
    keyOfOther: ({ key, provider, other }: KeyOfOther) =>
      `${key} looks like a key of ${other}, and its provider is "${provider}", which will refuse it. Correct one of them.`,
    contains: ({ folder, what }: { readonly folder: string; readonly what: Contained }) =>
      `the workspace ${folder} contains ${{ database: 'the database', config: 'the config and its .env' }[what]}: file tools refuse it, but a command outside the sandbox could read it.${what === 'config' ? ' Edits are read only at a start and on SIGHUP.' : ''}`,
    ownProgram: ({ key, program }: { readonly key: string; readonly program: string }) =>
      `${key} runs ${program}, which is in a workspace: tools cannot change that file, but they can change what it loads there. Move it elsewhere.`,
    noToolsLeft: ({ key }: { readonly key: string }) =>
      `tools.${key} is empty: the model has no tools there. Leave it out to offer all.`,
    shellTimeoutIdle: 'tools.shell.timeout_secs has no effect: tools.timeout_secs is shorter.',
    fewWithoutFinder: 'tools.compact is "few", but find_tools is off: the model is told of all tools, in short.',
    ownerOff: ({ owner }: { readonly owner: string }) =>
      `owners names ${owner}, but that channel is off: this owner can decide nothing.`,
    namedOff: ({ key, id }: { readonly key: string; readonly id: string }) =>
      `${key} names ${id}, but that channel is off.`,
    chatOff: ({ chat }: { readonly chat: string }) => `chats["${chat}"] has no effect: that channel is off.`,
    unusedParameter: ({ place, parameter }: { readonly place: string; readonly parameter: string }) =>
      `${place}.parameters.${parameter}: the command does not use {{${parameter}}}.`,
    notFilledIn: ({ place, variable }: { readonly place: string; readonly variable: string }) =>
      `${place}.env.${variable}: values are filled in only in the command; this text stays as it is.`,
    toolTimeoutIdle: ({ place }: { readonly place: string }) =>
      `${place}.timeout_secs has no effect: tools.timeout_secs is shorter.`,
    replacesBuiltin: ({ place, name }: { readonly place: string; readonly name: string }) =>
      `${place} replaces the builtin tool ${name}. If that is a mistake, give it another name.`,
    noPath: ({ name, origin }: { readonly name: string; readonly origin: string }) =>
      `models.${name}.base_url has no path: nearly all servers have their API at /v1. Write "${origin}/v1".`,
    noPrices: 'budget limits money, but models has no model with a price.',
    noPrice: ({ name }: { readonly name: string }) => `models.${name} has no price: limits on money do not count it.`,
    endpoint: ({ key, end, server }: { readonly key: string; readonly end: string; readonly server: string }) =>
      `${key}.base_url ends in ${end}, which Keyturn adds itself. Write "${server}".`,
    sandboxOff: 'tools.shell.sandbox is "off": commands may read and change everything that this user may.',
    sandboxMissing: ({ reason }: { readonly reason: string }) =>
      `tools.shell.sandbox is "required": no command runs, since ${reason}.`,
    allowIdle: 'tools.shell.allow has no effect without a sandbox.',
    domainsIdle: 'tools.shell.allowed_domains has no effect without a sandbox: commands reach the whole network.',
    sharedFolder: ({ workspace }: { readonly workspace: string }) =>
      `workspace is one folder for everybody: people other than owners may talk here, and can read and change each other's files. Put {sender} in it, as "${workspace}/{sender}", to give each a folder of their own.`,
    listedKeys: ({ keys, more }: { readonly keys: readonly string[]; readonly more: number }) =>
      `${keys.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    literalSecrets: ({ keys, isOne }: { readonly keys: string; readonly isOne: boolean }) =>
      `${keys} ${isOne ? 'stands' : 'stand'} in the config itself. Copies of the config hold no secrets, so Keyturn could not start from its last good copy if this file were damaged. Write ${isOne ? 'it' : 'them'} into .env as NAME=value, and "\${NAME}" here.`,

    nothingAsks: ({ why, names, isTainting }: Free & { readonly isTainting: boolean }) =>
      `${englishWhy[why]}: nothing asks. ${names.join(', ')} run without asking anybody${isTainting ? ' until untrusted content was read' : ''}.`,
    shellUnasked: ({ why, names }: Free) =>
      `${englishWhy[why]}: ${names.join(', ')} run without asking anybody, and a command can do what the tools do that ask.`,
    noToolAnywhere: 'tools.disabled and tools.only leave no tool: the model can only talk.',
    noToolIn: ({ place }: { readonly place: string }) =>
      `tools.per_chat["${place}"] leaves no tool: the model can only talk there.`,
    wideNetwork: ({ entry }: { readonly entry: string }) =>
      `tools.network.allow_private has "${entry}", which is nearly every network: web tools reach all of them, and reading never asks. Name the hosts.`,
    allNetworks:
      'tools.network.allow_private opens every private network and this machine: web tools reach all of them, and reading never asks. Name the hosts.',
    openDomain: ({ list, pattern, host }: OpenDomain) =>
      `${list} has "${pattern}", where anybody can have a host${host === undefined ? '' : `, such as ${host}`}: ${englishEffects[list]}.`,
    wideWorkspace: ({ key, folder, held }: WideWorkspace) =>
      `${key} is ${folder}, ${englishHeld[held]}: tools read all of it without asking. Use a folder of its own.`,
    lowPrice: ({ name, key, amount }: { readonly name: string; readonly key: string; readonly amount: number }) =>
      `models.${name}.price.${key} is ${amount}: is that for one token, or a thousand? Write the price of a million, or limits on money count nearly nothing.`,
    keyInTheOpen: ({ key, host }: { readonly key: string; readonly host: string }) =>
      `${key} begins with http://: the key goes to ${host} unencrypted, and can be read on the way. Use https://.`,
    unaskedCommand: ({ entry, command, grave }: UnaskedCommand) =>
      `tools.shell.allow has "${entry}": "${command}" runs without asking, which ${englishGrave[grave]}. Allow narrower commands.`,
  },
  zh: {
    approvalOff: ({ taint }) => `approval.enabled 是 false：工具运行时不问任何人${untilTaintZh[taint]}。`,
    alwaysAllow: ({ taint }) => `approval.policy 是 "always_allow"：工具运行时不问任何人${untilTaintZh[taint]}。`,
    noApprovers: 'approval.approvers 是空的：没有人能批准。',
    requireForIdle: ({ policy, mode }) => `在策略 "${policy}" 和模式 "${mode}" 下，approval.require_for 不起作用。`,
    agentModeIdle: ({ name }) => `agents.${name}.mode 不起作用：agent.mode 更严格。`,
    taintOff: 'security.taint 是 "off"：读到不可信内容后，不会多问。',
    trustsOwners: 'attachments.trust_owners 是 true：所有者发来的文档，无论谁写的，内容都算可信。',
    trustsAll: 'tools.network.trusted_domains 含有 "*"：没有网页算不可信。',
    openChannel: ({ channel }) => `channels.${channel}.allow_from 含有 "*"：那里的任何人都可以和它对话。`,
    openGroup: ({ channel, group }) =>
      `channels.${channel}.groups["${group}"].allow_from 含有 "*"：那个群里的任何人都可以和它对话。`,
    oneFolder: ({ folder }) =>
      `workspace 和 data_dir 是同一个文件夹 ${folder}：工具不能用其中的任何文件。用两个文件夹。`,
    keySpaces: ({ key }) => `${key} 的开头或末尾有空格，会一起发送。删掉它们。`,
    keyBearer: ({ key }) => `${key} 以 "Bearer" 开头，Keyturn 会自己加上。只写密钥。`,
    keyVariable: ({ key }) => `${key} 看起来是变量名，会原样发送。写成带花括号的 "\${NAME}"。`,
    keyPlaceholder: ({ key }) => `${key} 还是示例文字。把密钥以 NAME=… 写进 .env，在这里写 "\${NAME}"。`,
    keyOfOther: ({ key, provider, other }) =>
      `${key} 看起来是 ${other} 的密钥，而 provider 是 "${provider}"，会被拒绝。改正其中一个。`,
    contains: ({ folder, what }) =>
      `工作区 ${folder} 包含${{ database: '数据库', config: '配置和它的 .env' }[what]}：文件工具会拒绝访问，但沙箱外的命令可能读到。${what === 'config' ? '编辑只在启动和收到 SIGHUP 时读取。' : ''}`,
    ownProgram: ({ key, program }) =>
      `${key} 运行 ${program}，它在工作区中：工具不能更改这个文件，但能更改它在那里加载的内容。把它移到别处。`,
    noToolsLeft: ({ key }) => `tools.${key} 是空的：模型在那里没有工具。删掉这一项就提供全部工具。`,
    shellTimeoutIdle: 'tools.shell.timeout_secs 不起作用：tools.timeout_secs 更短。',
    fewWithoutFinder: 'tools.compact 是 "few"，但 find_tools 已关闭：模型会得知全部工具的简短说明。',
    ownerOff: ({ owner }) => `owners 含有 ${owner}，但那个渠道已关闭：这位所有者什么都不能决定。`,
    namedOff: ({ key, id }) => `${key} 含有 ${id}，但那个渠道已关闭。`,
    chatOff: ({ chat }) => `chats["${chat}"] 不起作用：那个渠道已关闭。`,
    unusedParameter: ({ place, parameter }) => `${place}.parameters.${parameter}：命令没有用到 {{${parameter}}}。`,
    notFilledIn: ({ place, variable }) => `${place}.env.${variable}：只有命令中会填入值；这段文本保持原样。`,
    toolTimeoutIdle: ({ place }) => `${place}.timeout_secs 不起作用：tools.timeout_secs 更短。`,
    replacesBuiltin: ({ place, name }) => `${place} 取代了内置工具 ${name}。如果这是误写，换一个名称。`,
    noPath: ({ name, origin }) =>
      `models.${name}.base_url 没有路径：几乎所有服务器的 API 都在 /v1。写 "${origin}/v1"。`,
    noPrices: 'budget 限制了金额，但 models 中没有一个模型有价格。',
    noPrice: ({ name }) => `models.${name} 没有价格：金额限制不计算它。`,
    endpoint: ({ key, end, server }) => `${key}.base_url 以 ${end} 结尾，而 Keyturn 会自己加上。写 "${server}"。`,
    sandboxOff: 'tools.shell.sandbox 是 "off"：凡是当前用户能读取和更改的，命令都能。',
    sandboxMissing: ({ reason }) => `tools.shell.sandbox 是 "required"：没有命令会运行。原因：${reason}。`,
    allowIdle: '没有沙箱，tools.shell.allow 不起作用。',
    domainsIdle: '没有沙箱，tools.shell.allowed_domains 不起作用：命令可以访问整个网络。',
    sharedFolder: ({ workspace }) =>
      `workspace 是所有人共用的文件夹：所有者以外的人也可以在这里对话，能读取和更改彼此的文件。在其中加上 {sender}，写成 "${workspace}/{sender}"，给每人一个自己的文件夹。`,
    listedKeys: ({ keys, more }) => `${keys.join('、')}${more > 0 ? ` 以及另外 ${more} 项` : ''}`,
    literalSecrets: ({ keys, isOne }) =>
      `${keys} 直接写在配置中。配置的副本不含密钥，所以如果这个文件损坏，Keyturn 无法用上一份可用的副本启动。把${isOne ? '它' : '它们'}以 NAME=value 写进 .env，在这里写 "\${NAME}"。`,

    nothingAsks: ({ why, names, isTainting }) =>
      `${chineseWhy[why]}：什么都不问。${isTainting ? '读到不可信内容之前，' : ''}${names.join('、')} 运行时不问任何人。`,
    shellUnasked: ({ why, names }) =>
      `${chineseWhy[why]}：${names.join('、')} 运行时不问任何人，而命令能做那些要问的工具所做的事。`,
    noToolAnywhere: 'tools.disabled 和 tools.only 没有留下任何工具：模型只能说话。',
    noToolIn: ({ place }) => `tools.per_chat["${place}"] 没有留下任何工具：模型在那里只能说话。`,
    wideNetwork: ({ entry }) =>
      `tools.network.allow_private 含有 "${entry}"，几乎是全部网络：网络工具都能访问，而且读取从不询问。写出主机名。`,
    allNetworks:
      'tools.network.allow_private 开放了所有内网和这台机器：网络工具都能访问，而且读取从不询问。写出主机名。',
    openDomain: ({ list, pattern, host }) =>
      `${list} 含有 "${pattern}"，任何人都能在那里拥有主机${host === undefined ? '' : `，例如 ${host}`}：${chineseEffects[list]}。`,
    wideWorkspace: ({ key, folder, held }) =>
      `${key} 是 ${folder}，${chineseHeld[held]}：工具读取其中全部内容都不询问。用一个单独的文件夹。`,
    lowPrice: ({ name, key, amount }) =>
      `models.${name}.price.${key} 是 ${amount}：这是一个 token 还是一千个的价格？写一百万个的价格，否则金额限制几乎不起作用。`,
    keyInTheOpen: ({ key, host }) =>
      `${key} 以 http:// 开头：密钥会未加密地发给 ${host}，途中可能被读到。用 https://。`,
    unaskedCommand: ({ entry, command, grave }) =>
      `tools.shell.allow 含有 "${entry}"："${command}" 不询问就运行，而它${chineseGrave[grave]}。只允许更窄的命令。`,
  },
});

/** Tools that run without asking. */
interface Free {
  readonly why: Unasked;
  readonly names: readonly string[];
}

interface OpenDomain {
  readonly list: OpenList;
  readonly pattern: string;
  readonly host: string | undefined;
}

interface WideWorkspace {
  readonly key: string;
  readonly folder: string;
  readonly held: Held;
}

interface UnaskedCommand {
  readonly entry: string;
  readonly command: string;
  readonly grave: Grave;
}

const untilTaint: Readonly<Record<Taint, string>> = {
  off: '',
  ask: ', except after untrusted content was read: then calls that could do harm still ask',
  deny: ', except after untrusted content was read: then calls that could do harm are refused',
};

const untilTaintZh: Readonly<Record<Taint, string>> = {
  off: '',
  ask: '，读过不可信内容之后除外：那时可能造成损害的调用仍会询问',
  deny: '，读过不可信内容之后除外：那时可能造成损害的调用会被拒绝',
};

const englishWhy: Readonly<Record<Unasked, string>> = {
  autonomous: 'agent.mode is "autonomous"',
  tools: 'approval.require_for does not name them',
  dangerous: 'approval.dangerous_tools and approval.dangerous_categories do not name them',
};

const chineseWhy: Readonly<Record<Unasked, string>> = {
  autonomous: 'agent.mode 是 "autonomous"',
  tools: 'approval.require_for 没有列出它们',
  dangerous: 'approval.dangerous_tools 和 approval.dangerous_categories 没有列出它们',
};

const englishEffects: Readonly<Record<OpenList, string>> = {
  'tools.shell.allowed_domains': 'commands can send what they read to anybody',
  'tools.http_request.allowed_domains': 'the tool can send what was read to anybody',
  'tools.network.trusted_domains': 'what anybody writes there counts as trusted',
};

const chineseEffects: Readonly<Record<OpenList, string>> = {
  'tools.shell.allowed_domains': '命令可以把读到的内容发给任何人',
  'tools.http_request.allowed_domains': '这个工具可以把读到的内容发给任何人',
  'tools.network.trusted_domains': '任何人写在那里的内容都算可信',
};

const englishHeld: Readonly<Record<Held, string>> = {
  disk: 'the whole disk',
  home: 'a home folder',
  homes: 'which holds home folders',
  keys: 'a place of settings and keys in a home folder',
  system: 'a folder of the system',
  'in-system': 'in a folder of the system',
};

const chineseHeld: Readonly<Record<Held, string>> = {
  disk: '即整个磁盘',
  home: '即用户主文件夹',
  homes: '其中有用户主文件夹',
  keys: '即主文件夹中存放设置和密钥的地方',
  system: '即系统文件夹',
  'in-system': '在系统文件夹中',
};

const englishGrave: Readonly<Record<Grave, string>> = {
  downloaded_code: 'runs code from the network',
  recursive_deletion: 'deletes folders',
  system_change: 'changes the system',
  privilege: "takes another user's rights",
  deletion: 'deletes files',
  network_listener: 'lets others connect',
  hidden_code: 'runs any code that the model writes',
  upload: 'sends data out',
};

const chineseGrave: Readonly<Record<Grave, string>> = {
  downloaded_code: '会运行来自网络的代码',
  recursive_deletion: '会删除文件夹',
  system_change: '会更改系统',
  privilege: '会获得其他用户的权限',
  deletion: '会删除文件',
  network_listener: '会让别人连接进来',
  hidden_code: '会运行模型写的任何代码',
  upload: '会把数据发出去',
};

interface KeyOf {
  /** Its place in the config. */
  readonly key: string;
}

interface KeyOfOther extends KeyOf {
  readonly provider: string;
  /** Whose it seems to be. */
  readonly other: string;
}
