import { catalogue } from '../../../lib/words.ts';

/** What an edit of the config allows and forbids, in one line each. Names are given in markdown. */
export const rightWords = catalogue({
  en: {
    // How an edit without words of its own is shown: `agent.max_turns: 25 → 40`.
    added: 'added',
    removed: 'removed',
    changed: 'changed',
    anotherOrder: 'another order',
    notSet: 'not set',
    withChange: ({ what, change }: { readonly what: string; readonly change: string }) => `${what}: ${change}`,
    off: ({ what }: { readonly what: string }) => `${what} (off)`,
    butOff: ({ what, key }: { readonly what: string; readonly key: string }) => `${what} (but ${key} is off)`,
    more: ({ count }: { readonly count: number }) => `and ${count} more`,

    owner: ({ who, isSo }: Member) => `${who} is ${now(isSo)} an owner`,
    account: ({ who, name, isSo }: Member) => `${who} is ${now(isSo)} one of the accounts of ${name}`,
    channel: ({ name, isSo }: Switch) => `the channel ${name} is ${now(isSo)} in the config`,
    channelOn: ({ name, isSo }: Switch) => `the channel ${name} is ${now(isSo)} on`,
    mayTalk: (of: Member) => enOf(of, `everybody on ${of.name}`, 'may', 'talk to me'),
    group: ({ place, isSo }: Switch) => `I ${now(isSo)} listen in the group ${place}`,
    mayTalkInGroup: (of: Member) => enOf(of, 'everybody', 'may', `talk to me in the group ${of.place}`),
    mayCommandInGroup: (of: Member) => enOf(of, 'everybody', 'may', `use commands in the group ${of.place}`),
    needsMention: ({ place, isSo }: Switch) => `in the group ${place}, I ${now(isSo)} answer only where I am mentioned`,
    followsThreads: ({ place, isSo }: Switch) =>
      `in the group ${place}, I ${now(isSo)} go on in threads without being mentioned`,
    moreWorkspaces: ({ name }: Named) => `the channel ${name} now serves other workspaces`,
    pairing: ({ isSo }: Switch) => `strangers may ${now(isSo)} ask to be let in`,

    otherFolder: 'tools now work in another folder',
    toolOff: (of: Member) => enOf(of, 'every tool', 'is', 'off'),
    toolOnly: (of: Member) => enOf(of, 'every tool', 'is', 'among the tools'),
    toolOffIn: (of: Member) => `in ${of.name}, ${enOf(of, 'every tool', 'is', 'off')}`,
    toolOnlyIn: (of: Member) => `in ${of.name}, ${enOf(of, 'every tool', 'is', 'among the tools')}`,
    chatSettings: ({ name, isSo }: Switch) => `the chat ${name} ${now(isSo)} has settings of its own`,
    chatAgent: ({ name, agent }: Named & { readonly agent: string | undefined }) =>
      `in the chat ${name}, I now work as ${agent === undefined ? 'no agent' : `the agent ${agent}`}`,
    toolOn: ({ name, isSo }: Switch) => `the tool ${name} is ${now(isSo)} on`,
    forbidden: ({ who, isSo }: Member) => `${who} is ${now(isSo)} forbidden`,
    seesVariable: ({ who, isSo }: Member) => `commands ${now(isSo)} see the variable ${who}`,
    keptFromCommands: ({ who, isSo }: Member) => `${who} is ${now(isSo)} kept from commands`,
    onlySandboxed: 'no command now runs without the sandbox',
    sandboxed: 'commands now run in the sandbox where there is one',
    unsandboxed: 'commands now run without the sandbox',
    rate: ({ who, isAll, isMore }: Who & { readonly isMore: boolean }) =>
      `${isAll ? 'every tool' : who} may now be called ${isMore ? 'more' : 'less'} often`,
    documentsTrusted: ({ isSo }: Switch) => `documents that owners send ${now(isSo)} count as trusted`,
    spending: ({ isMore }: Amount) => `${isMore ? 'more' : 'less'} may be spent`,

    mayApprove: (of: Member) => `${of.isAll ? 'each owner' : of.who} may ${now(of.isSo)} approve`,
    requestsShown: ({ who, isSo }: Member) => `requests for approval are ${now(isSo)} shown in ${who}`,
    ownWordsRun: ({ isSo }: Switch) => `what an approver has written themselves ${now(isSo)} runs without a card`,
    requestWaits: ({ isMore }: Amount) => `a request for approval waits ${isMore ? 'longer' : 'less long'}`,
    windowAllows: ({ isMore }: Amount) => `the button for a while allows ${isMore ? 'longer' : 'less long'}`,
    approvalCounts: ({ isMore }: Amount) =>
      `an approval from before a restart counts ${isMore ? 'longer' : 'less long'}`,

    runsUnasked: ({ who, isSo }: Member) => `${who} ${now(isSo)} runs without asking`,
    commandsReach: (of: Member) => `commands may ${now(of.isSo)} reach ${of.isAll ? 'every host' : of.who}`,
    requestsReach: (of: Member) =>
      `the tool \`http_request\` may ${now(of.isSo)} reach ${of.isAll ? 'every host' : of.who}`,
    environmentsRoute: 'requests now go out as the environment says (`network.proxy` is not set)',
    noProxy: 'requests now go out without a proxy',
    proxy: ({ address }: { readonly address: string }) => `requests now go out through the proxy ${address}`,
    authority: ({ file }: { readonly file: string | undefined }) =>
      file === undefined
        ? 'certificates of `network.ca_file` are no longer trusted'
        : `certificates of ${file} are now trusted, whatever they vouch for`,
    reachPrivate: ({ who, isSo }: Member) => `tools may ${now(isSo)} reach ${who} in the private network`,
    hostTrusted: (of: Member) =>
      of.isAll && !of.isSo
        ? 'not all that hosts say counts as trusted any more'
        : `what ${of.isAll ? 'every host' : of.who} says ${now(of.isSo)} counts as trusted`,
    gatewayOn: ({ isSo }: Switch) => `the gateway is ${now(isSo)} on`,
    gatewayHost: ({ isMore, address }: Host) =>
      `${isMore ? 'other machines' : 'only this machine'} can now connect to the gateway: ${address}`,
    channelHost: ({ name, isMore, address }: Named & Host) =>
      `${isMore ? 'other machines' : 'only this machine'} can now connect to the channel ${name}: ${address}`,
    modelAddress: ({ name }: Named) => `the model ${name} is now asked at another address`,
    searchAddress: 'searches now go to another address',
    speechAddress: 'answers are now spoken at another address',
    voiceAddress: 'voice messages now go to another address',
    gatewayName: ({ who, isSo }: Member) => `devices may ${now(isSo)} call the gateway ${who}`,
    pagesConnect: ({ who, isSo }: Member) => `pages of ${who} may ${now(isSo)} connect`,
    devicesOffer: ({ isSo }: Switch) => `devices may ${now(isSo)} offer tools`,
    deviceOffers: (of: Member) => `the device ${of.name} may ${now(of.isSo)} offer ${of.isAll ? 'every tool' : of.who}`,
    otherDevicesOffer: (of: Member) =>
      enOf(
        { ...of, isAll: true },
        'every device without a list of its own',
        'may',
        `offer ${of.isAll ? 'every tool' : of.who}`,
      ),

    customTool: ({ name, isSo }: Switch) => `the custom tool ${name} is ${now(isSo)} there`,
    customCommand: ({ name }: Named) => `the custom tool ${name} now runs another command`,
    customSetting: ({ name, key }: Named) => `the custom tool ${name} now runs with another ${key}`,
    composedTool: ({ name, isSo }: Switch) => `the composed tool ${name} is ${now(isSo)} there`,
    composedAction: ({ name }: Named) => `the composed tool ${name} now does something else`,
    composedUses: (of: Member) =>
      `the composed tool ${of.name} may ${now(of.isSo)} use ${of.isAll ? 'every tool' : of.who}`,
    agent: ({ name, isSo }: Switch) => `the agent ${name} is ${now(isSo)} there`,
    agentUses: (of: Member) => `the agent ${of.name} may ${now(of.isSo)} use ${of.isAll ? 'every tool' : of.who}`,
    server: ({ name, isSo }: Switch) => `the MCP server ${name} is ${now(isSo)} in the config`,
    serverProgram: ({ name }: Named) => `the MCP server ${name} is now another program or address`,
    serverSetting: ({ name, key }: Named) => `the MCP server ${name} now runs with another ${key}`,
    serverOn: ({ name, isSo }: Switch) => `the MCP server ${name} is ${now(isSo)} on`,
    serverSandboxed: ({ name, isSo }: Switch) => `the MCP server ${name} is ${now(isSo)} in the sandbox`,
    serverPrivate: ({ name, isSo }: Switch) => `the MCP server ${name} may ${now(isSo)} be in the private network`,
    serverBelieved: ({ name, isSo }: Switch) =>
      `the MCP server ${name} is ${now(isSo)} believed which of its tools only read`,
    serverReviewed: ({ name, isSo }: Switch) =>
      `the tools of the MCP server ${name} are ${now(isSo)} off until an owner trusts them`,
    serverToolOn: ({ name, isSo }: Switch) => `${name} is ${now(isSo)} on`,
    module: ({ who, isSo }: Member) => `the file ${who} may ${now(isSo)} bring tools`,
    channelPlugin: ({ name, isSo }: Switch) => `the channel plugin ${name} may ${now(isSo)} run`,
    channelPluginCode: ({ name }: Named) => `the channel plugin ${name} is now other code`,
    webhook: ({ name, isSo }: Switch) => `other programs may ${now(isSo)} call the webhook ${name}`,
    webhookChat: ({ name }: Named) => `the webhook ${name} now speaks in another chat`,
    webhookProof: ({ name, key }: Named) => `callers of the webhook ${name} now prove themselves by another ${key}`,
    webhookPrompt: ({ name }: Named) => `the webhook ${name} now asks for something else`,
    webhookPrivate: ({ name, isSo }: Switch) => `what is sent to the webhook ${name} ${now(isSo)} counts as private`,
    webhookAmount: ({ isMore }: Amount) => `${isMore ? 'more' : 'less'} may be sent to a webhook`,
    plugins: ({ isSo }: Switch) => `plugins are ${now(isSo)} looked for`,
    pluginFolder: ({ who, isSo }: Member) => `plugins are ${now(isSo)} looked for in ${who}`,
    pluginAllowed: (of: Member) => enOf({ ...of, who: `the plugin ${of.who}` }, 'every plugin', 'may', 'be there'),
    pluginBlocked: ({ who, isSo }: Member) => `the plugin ${who} is ${now(isSo)} blocked`,
    hookBefore: ({ isSo }: Switch) => `a hook is ${now(isSo)} asked before tool calls`,
    hookTools: (of: Member) => `the hook ${of.name} is ${now(of.isSo)} asked about ${of.isAll ? 'every tool' : of.who}`,
    hookCategories: (of: Member) =>
      `the hook ${of.name} is ${now(of.isSo)} asked about ${of.isAll ? 'every category' : `what is ${of.who}`}`,
    hookCancels: 'a hook that fails now cancels the call',
    hookPassedOver: 'a hook that fails is now passed over',
    hookAfter: ({ isSo }: Switch) => `a hook is ${now(isSo)} told of tool calls`,

    notTrusted: ({ name }: Named) => `what ${name} answers no longer counts as trusted`,
    namesTrusted: ({ name }: Named) => `what ${name} answers now counts as trusted where it is a list of names`,
    trusted: ({ name }: Named) => `what ${name} answers now counts as trusted`,
    private: ({ name }: Named) => `what ${name} answers now counts as private`,
    privateByCategory: ({ name }: Named) => `whether what ${name} answers is private now goes by its category`,
    notPrivate: ({ name }: Named) => `what ${name} answers no longer counts as private`,
    targets: ({ name }: Named) => `what ${name} reaches is now told by other arguments`,
    noOwnWords: ({ name }: Named) => `no person's own words are enough for ${name} any more`,
    ownWordsByName: ({ name }: Named) => `whether a person's own words ask for ${name} is now judged by its name`,
    ownWords: ({ name }: Named) => `any request in a person's own words is now enough for ${name}`,
    freeText: ({ name }: Named) => `what the model may word in calls of ${name} is now told by other arguments`,
    wayOut: ({ name, isSo }: Switch) => `${name} ${now(isSo)} counts as a way out`,
  },
  zh: {
    added: '已添加',
    removed: '已移除',
    changed: '已修改',
    anotherOrder: '顺序不同',
    notSet: '未设置',
    withChange: ({ what, change }) => `${what}：${change}`,
    off: ({ what }) => `${what}（未开启）`,
    butOff: ({ what, key }) => `${what}（但 ${key} 未开启）`,
    more: ({ count }) => `以及另外 ${count} 项`,

    owner: ({ who, isSo }) => `${who} ${isSo ? '现在是' : '不再是'}所有者`,
    account: ({ who, name, isSo }) => `${who} ${isSo ? '现在是' : '不再是'} ${name} 的账号`,
    channel: ({ name, isSo }) => `渠道 ${name} ${isSo ? '已加入配置' : '已从配置中移除'}`,
    channelOn: ({ name, isSo }) => `渠道 ${name} ${onOff(isSo)}`,
    mayTalk: (of) => zhOf(of, ` ${of.name} 上的所有人`, '可以与我对话'),
    group: ({ place, isSo }) => `我${isSo ? '现在会' : '不再'}接收群 ${place} 中的消息`,
    mayTalkInGroup: (of) => `在群 ${of.place} 中，${zhOf(of, '所有人', '可以与我对话')}`,
    mayCommandInGroup: (of) => `在群 ${of.place} 中，${zhOf(of, '所有人', '可以使用命令')}`,
    needsMention: ({ place, isSo }) => `在群 ${place} 中，我${isSo ? '现在' : '不再'}只在被提到时回答`,
    followsThreads: ({ place, isSo }) => `在群 ${place} 中，我${isSo ? '现在会' : '不再'}在话题中不被提到也继续回答`,
    moreWorkspaces: ({ name }) => `渠道 ${name} 现在服务于其他工作区`,
    pairing: ({ isSo }) => `陌生人${isSo ? '现在' : '不再'}可以请求与我对话`,

    otherFolder: '工具现在在另一个文件夹中工作',
    toolOff: (of) => zhOf(of, '所有工具', '处于关闭状态'),
    toolOnly: (of) => zhOf(of, '所有工具', '在可用工具之列'),
    toolOffIn: (of) => `在 ${of.name} 中，${zhOf(of, '所有工具', '处于关闭状态')}`,
    toolOnlyIn: (of) => `在 ${of.name} 中，${zhOf(of, '所有工具', '在可用工具之列')}`,
    chatSettings: ({ name, isSo }) => `聊天 ${name} ${isSo ? '现在有' : '不再有'}自己的设置`,
    chatAgent: ({ name, agent }) =>
      `在聊天 ${name} 中，我现在${agent === undefined ? '不使用智能体' : `作为智能体 ${agent} 工作`}`,
    toolOn: ({ name, isSo }) => `工具 ${name} ${onOff(isSo)}`,
    forbidden: ({ who, isSo }) => `${who} ${isSo ? '现在被' : '不再'}禁止`,
    seesVariable: ({ who, isSo }) => `命令${isSo ? '现在' : '不再'}能看到变量 ${who}`,
    keptFromCommands: ({ who, isSo }) => `命令${isSo ? '现在不能' : '现在可以'}访问 ${who}`,
    onlySandboxed: '现在没有沙箱就不运行任何命令',
    sandboxed: '有沙箱时，命令现在在沙箱中运行',
    unsandboxed: '命令现在不在沙箱中运行',
    rate: ({ who, isAll, isMore }) => `${isAll ? '每个工具' : `${who} `}现在可以更${isMore ? '频繁' : '少'}地调用`,
    documentsTrusted: ({ isSo }) => `所有者发送的文档${isSo ? '现在' : '不再'}视为可信`,
    spending: ({ isMore }) => `可用的额度${isMore ? '提高了' : '降低了'}`,

    mayApprove: (of) => `${of.isAll ? '每位所有者' : `${of.who} `}${isNow(of)}可以批准`,
    requestsShown: ({ who, isSo }) => `${isSo ? '现在会' : '不再'}在 ${who} 中显示批准请求`,
    ownWordsRun: ({ isSo }) => `批准人亲自写下的操作${isSo ? '现在不显示卡片就会' : '不再不显示卡片就'}运行`,
    requestWaits: ({ isMore }) => `批准请求的等待时间${isMore ? '变长了' : '变短了'}`,
    windowAllows: ({ isMore }) => `“批准一段时间”按钮的时长${isMore ? '变长了' : '变短了'}`,
    approvalCounts: ({ isMore }) => `重启前的批准的有效时间${isMore ? '变长了' : '变短了'}`,

    runsUnasked: ({ who, isSo }) => `${who} ${isSo ? '现在不经询问就会' : '不再不经询问就'}运行`,
    commandsReach: (of) => `命令${isNow(of)}可以访问${zhObject(of, '所有主机')}`,
    requestsReach: (of) => `工具 \`http_request\` ${isNow(of)}可以访问${zhObject(of, '所有主机')}`,
    environmentsRoute: '请求现在按环境变量发出（未设置 `network.proxy`）',
    noProxy: '请求现在不经代理发出',
    proxy: ({ address }) => `请求现在经代理 ${address} 发出`,
    authority: ({ file }) =>
      file === undefined ? '不再信任 `network.ca_file` 的证书' : `现在信任 ${file} 中的证书，不论它们为谁担保`,
    reachPrivate: ({ who, isSo }) => `工具${isSo ? '现在' : '不再'}可以访问内网中的 ${who}`,
    hostTrusted: (of) =>
      of.isAll && !of.isSo
        ? '不再是所有主机的内容都视为可信'
        : `${of.isAll ? '所有主机' : `${of.who} `}的内容${isNow(of)}视为可信`,
    gatewayOn: ({ isSo }) => `网关${onOff(isSo)}`,
    gatewayHost: ({ isMore, address }) => `现在${isMore ? '其他机器可以' : '只有这台机器能'}连接网关：${address}`,
    channelHost: ({ name, isMore, address }) =>
      `现在${isMore ? '其他机器可以' : '只有这台机器能'}连接渠道 ${name}：${address}`,
    modelAddress: ({ name }) => `模型 ${name} 现在使用另一个地址`,
    searchAddress: '搜索请求现在发往另一个地址',
    speechAddress: '回答现在由另一个地址朗读',
    voiceAddress: '语音消息现在发往另一个地址',
    gatewayName: ({ who, isSo }) => `设备${isSo ? '现在' : '不再'}可以用 ${who} 访问网关`,
    pagesConnect: ({ who, isSo }) => `${who} 的网页${isSo ? '现在' : '不再'}可以连接`,
    devicesOffer: ({ isSo }) => `设备${isSo ? '现在' : '不再'}可以提供工具`,
    deviceOffers: (of) => `设备 ${of.name} ${isNow(of)}可以提供${zhObject(of, '所有工具')}`,
    otherDevicesOffer: (of) => `没有单独列表的设备${of.isSo ? '现在都' : '不再都'}可以提供${zhObject(of, '所有工具')}`,

    customTool: ({ name, isSo }) => `自定义工具 ${name} ${thereOrNot(isSo)}`,
    customCommand: ({ name }) => `自定义工具 ${name} 现在运行另一条命令`,
    customSetting: ({ name, key }) => `自定义工具 ${name} 现在用另一个 ${key} 运行`,
    composedTool: ({ name, isSo }) => `组合工具 ${name} ${thereOrNot(isSo)}`,
    composedAction: ({ name }) => `组合工具 ${name} 现在做的事不同了`,
    composedUses: (of) => `组合工具 ${of.name} ${isNow(of)}可以使用${zhObject(of, '所有工具')}`,
    agent: ({ name, isSo }) => `智能体 ${name} ${thereOrNot(isSo)}`,
    agentUses: (of) => `智能体 ${of.name} ${isNow(of)}可以使用${zhObject(of, '所有工具')}`,
    server: ({ name, isSo }) => `MCP 服务器 ${name} ${isSo ? '已加入配置' : '已从配置中移除'}`,
    serverProgram: ({ name }) => `MCP 服务器 ${name} 现在是另一个程序或地址`,
    serverSetting: ({ name, key }) => `MCP 服务器 ${name} 现在用另一个 ${key} 运行`,
    serverOn: ({ name, isSo }) => `MCP 服务器 ${name} ${onOff(isSo)}`,
    serverSandboxed: ({ name, isSo }) => `MCP 服务器 ${name} ${isSo ? '现在' : '不再'}在沙箱中运行`,
    serverPrivate: ({ name, isSo }) => `MCP 服务器 ${name} ${isSo ? '现在' : '不再'}可以位于内网`,
    serverBelieved: ({ name, isSo }) => `${isSo ? '现在' : '不再'}相信 MCP 服务器 ${name} 所说的哪些工具只读取`,
    serverReviewed: ({ name, isSo }) =>
      `MCP 服务器 ${name} 的工具${isSo ? '现在要等所有者信任后才' : '现在无需所有者信任就'}可用`,
    serverToolOn: ({ name, isSo }) => `${name} ${onOff(isSo)}`,
    module: ({ who, isSo }) => `文件 ${who} ${isSo ? '现在' : '不再'}可以带来工具`,
    channelPlugin: ({ name, isSo }) => `渠道插件 ${name} ${isSo ? '现在' : '不再'}可以运行`,
    channelPluginCode: ({ name }) => `渠道插件 ${name} 的代码现在不同了`,
    webhook: ({ name, isSo }) => `其他程序${isSo ? '现在' : '不再'}可以调用 webhook ${name}`,
    webhookChat: ({ name }) => `webhook ${name} 现在在另一个聊天中说话`,
    webhookProof: ({ name, key }) => `webhook ${name} 的调用方现在用另一个 ${key} 证明身份`,
    webhookPrompt: ({ name }) => `webhook ${name} 的要求现在不同了`,
    webhookPrivate: ({ name, isSo }) => `发给 webhook ${name} 的内容${isSo ? '现在' : '不再'}视为私密`,
    webhookAmount: ({ isMore }) => `可以发给 webhook 的内容${isMore ? '更多了' : '更少了'}`,
    plugins: ({ isSo }) => `${isSo ? '现在会' : '不再'}查找插件`,
    pluginFolder: ({ who, isSo }) => `${isSo ? '现在会' : '不再'}在 ${who} 中查找插件`,
    pluginAllowed: (of) => zhOf({ ...of, who: `插件 ${of.who}` }, '所有插件', '可以存在'),
    pluginBlocked: ({ who, isSo }) => `插件 ${who} ${isSo ? '现在被' : '不再'}禁用`,
    hookBefore: ({ isSo }) => `工具调用前${isSo ? '现在会' : '不再'}询问一个钩子`,
    hookTools: (of) => `${isNow(of)}就${zhObject(of, '所有工具')}询问钩子 ${of.name}`,
    hookCategories: (of) => `${isNow(of)}就${of.isAll ? '所有类别' : `类别 ${of.who} `}询问钩子 ${of.name}`,
    hookCancels: '钩子出错时，现在会取消调用',
    hookPassedOver: '钩子出错时，现在会跳过它',
    hookAfter: ({ isSo }) => `${isSo ? '现在会' : '不再'}把工具调用告知一个钩子`,

    notTrusted: ({ name }) => `${name} 返回的内容不再视为可信`,
    namesTrusted: ({ name }) => `${name} 返回的内容如果是名称列表，现在视为可信`,
    trusted: ({ name }) => `${name} 返回的内容现在视为可信`,
    private: ({ name }) => `${name} 返回的内容现在视为私密`,
    privateByCategory: ({ name }) => `${name} 返回的内容是否私密，现在取决于它的类别`,
    notPrivate: ({ name }) => `${name} 返回的内容不再视为私密`,
    targets: ({ name }) => `${name} 会访问什么，现在由其他参数说明`,
    noOwnWords: ({ name }) => `人自己的话不再足以调用 ${name}`,
    ownWordsByName: ({ name }) => `人自己的话是否要求调用 ${name}，现在按它的名称判断`,
    ownWords: ({ name }) => `人自己的话中的任何要求，现在都足以调用 ${name}`,
    freeText: ({ name }) => `调用 ${name} 时哪些内容由模型措辞，现在由其他参数说明`,
    wayOut: ({ name, isSo }) => `${name} ${isSo ? '现在' : '不再'}视为向外发送的途径`,
  },
});

/** The sentences in one language. */
export type RightWords = (typeof rightWords)['en'];

/** `name`: the last name that the place's pattern leaves open. */
export interface Named {
  readonly name: string;
  /** All of these names: `telegram:-100`. */
  readonly place: string;
  /** The last name of the place. */
  readonly key: string;
}

/** Something is so from now on, or no longer. */
export interface Switch extends Named {
  readonly isSo: boolean;
}

/** `isAll`: the member stands for all. */
export interface Who {
  readonly who: string;
  readonly isAll: boolean;
}

export interface Member extends Switch, Who {}

export interface Amount {
  readonly isMore: boolean;
}

/** `isMore`: more can connect than before. */
interface Host extends Amount {
  readonly address: string;
}

function now(isSo: boolean): string {
  return isSo ? 'now' : 'no longer';
}

/** "everybody may no longer" would read as "nobody may". */
function enOf({ who, isAll, isSo }: Member, every: string, verb: string, rest: string): string {
  if (isAll && !isSo) return `not ${every} ${verb} ${rest} any more`;
  return `${isAll ? every : who} ${verb} ${now(isSo)} ${rest}`;
}

function isNow({ isSo }: Switch): string {
  return isSo ? '现在' : '不再';
}

function onOff(isSo: boolean): string {
  return isSo ? '已开启' : '已关闭';
}

function thereOrNot(isSo: boolean): string {
  return isSo ? '已添加' : '已移除';
}

function zhOf(of: Member, every: string, rest: string): string {
  if (of.isAll && !of.isSo) return `不再是${every}都${rest}`;
  return `${of.isAll ? every.trimStart() : `${of.who} `}${isNow(of)}${rest}`;
}

/** Behind a verb. */
function zhObject({ who, isAll }: Who, every: string): string {
  return isAll ? every : ` ${who}`;
}
