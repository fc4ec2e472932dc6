import type { AgentMode, ApprovalPolicy } from '../../../approval/verdict.ts';
import { catalogue } from '../../../lib/words.ts';

/** The answers of `/status`. Ids, commands and names are given in markdown. */
export const statusWords = catalogue({
  en: {
    health: ({ duration, isWorking, model, connected }: Health) =>
      `**Keyturn** is up for ${duration}${isWorking ? ', and is working on something here' : ''}. Model: ${model}. ${connected.length === 0 ? 'No channel is connected.' : `Connected: ${connected.join(', ')}.`}`,
    buttonDetails: 'Details',
    buttonShow: 'Show',
    waiting: ({ lines }: Lines) => (lines.length === 0 ? 'Nothing waits.' : ['**Waiting**', ...lines].join('\n')),
    noSuchCard: 'That waits no longer, or not here. `/status` shows what does.',
    shownAgain: 'It is at the bottom of this chat now.',
    shownAgainIn: ({ places }: { readonly places: readonly string[] }) =>
      `It is at the bottom of ${places.join(', ')} now.`,
    notShownYet: 'Its card is not shown yet.',
    nothingUndelivered: 'Every message was delivered.',
    modelLine: ({ model }: { readonly model: string }) => `- Model: ${model}`,
    /** Plain text. */
    model: ({ label, chosenBy, answered, fault }: ModelWords) =>
      [
        label,
        chosenBy === undefined ? '' : enChoices[chosenBy],
        fault === undefined ? '' : `: since ${fault.since}: ${fault.words}`,
        answered === undefined ? '' : `, answered ${answered}`,
      ].join(''),
    chatLine: ({ key, agent, has }: ChatWords) => {
      const gone = agent?.isGone === true ? ', which is not in the config, so no tools' : '';
      const parts = [
        ...(agent === undefined ? [] : [`the agent ${agent.name}${gone}`]),
        ...has.map((own) => ({ instructions: 'instructions of its own', model: 'a model of its own' })[own]),
      ];
      return `- This chat: ${parts.length === 0 ? 'nothing of its own' : parts.join(', ')} (${key})`;
    },
    modeLine: ({ mode, policy }: { readonly mode: AgentMode; readonly policy: ApprovalPolicy }) =>
      `- Mode: ${mode} (${englishModes[mode]}); approval: ${policy} (${englishPolicies[policy]})`,
    proxyLine: ({ proxy }: { readonly proxy: string }) => `- Proxy: ${proxy}`,
    shellLine: ({ bounds }: { readonly bounds: string }) => `- Shell: ${bounds}`,
    workspaceLine: ({ folder }: { readonly folder: string }) => `- Workspace: ${folder}`,
    /** Plain text, as the following ones. */
    modeForbids: ({ mode }: { readonly mode: string }) => `no command runs in the mode ${mode}`,
    inSandbox: 'in a sandbox (bubblewrap)',
    sandboxMissing: ({ reason }: { readonly reason: string }) =>
      `no command runs: the config demands a sandbox, and there is none (${reason})`,
    noSandbox: ({ reason, asks, outlives }: NoSandbox) =>
      `no sandbox (${reason}): ${asks ? 'every command waits for your approval' : 'AND THE RULES ASK NOBODY: commands may do all that this user may'}${outlives ? '; what a command starts and hides may outlive it' : ''}`,
    taint: ({ sources, isPrivate }: { readonly sources: string; readonly isPrivate: boolean }) =>
      `🔓 Content that others may have written was read here (${sources})${isPrivate ? ', and also what is yours' : ''}: what could do harm or carry something out asks. \`/new\` ends that, and an owner's \`/trust here\`.`,
    /** The names as code. */
    programsUnheard: ({ places }: { readonly places: readonly string[] }) =>
      `🔇 Bots are not read in ${places.join(', ')}: they wrote several messages in a row. A person who writes to me there ends that.`,
    channels: ({ lines }: Lines) => ['Channels:', ...lines].join('\n'),
    channelLine: ({ name, state, duration, heard, again }: ChannelWords) =>
      `${name}: ${state}, for ${duration}${heard === undefined ? '' : `, last heard from ${heard} ago`}${again === undefined ? '' : `, tried again in ${again}`}`,
    channelState: ({ status, reason = '', account, isOff }: ChannelStateWords) => {
      switch (status) {
        case 'connecting':
          return 'connecting';
        case 'connected':
          return account === undefined ? 'connected' : `connected as ${account}`;
        case 'failing':
          return `not reachable (${reason})`;
        case 'dead':
          return `${isOff ? 'off' : 'refused'} (${reason})`;
      }
    },
    waitingLine: ({ what, until, conversationIds }: WaitingLine) =>
      `🔑 ${what}, ${until === undefined ? 'not shown yet' : `until ${until}`}${conversationIds === undefined ? '' : conversationIds.length === 0 ? ', with nobody who could decide' : `, asked in ${conversationIds.join(', ')}`}`,
    strangersAsk: ({ count }: { readonly count: number }) =>
      `👋 ${count === 1 ? 'A stranger asks' : `${count} strangers ask`} to be let in: \`/people\`.`,
    undeliveredLine: ({ what, time, conversationId, fate, channel, reason }: UndeliveredLine) => {
      const fates = {
        asks: 'waits for a decision',
        held: 'is offered there when that chat takes messages again',
        retried: 'is tried again, at least every 15 minutes',
        off: `is sent when ${channel} is on again`,
      };
      return `⚠️ Not delivered: ${what} of ${time} in ${conversationId}, ${fates[fate]}${reason === undefined ? '' : ` (${reason})`}`;
    },
  },
  zh: {
    health: ({ duration, isWorking, model, connected }) =>
      `**Keyturn** 已运行 ${duration}${isWorking ? '，正在处理这里的任务' : ''}。模型：${model}。${connected.length === 0 ? '没有已连接的渠道。' : `已连接：${connected.join('、')}。`}`,
    buttonDetails: '详情',
    buttonShow: '查看',
    waiting: ({ lines }) => (lines.length === 0 ? '没有等待中的事项。' : ['**等待中**', ...lines].join('\n')),
    noSuchCard: '这一项已不再等待，或不在这里。`/status` 会列出等待中的事项。',
    shownAgain: '它现在在这个聊天的最下面。',
    shownAgainIn: ({ places }) => `它现在在 ${places.join('、')} 的最下面。`,
    notShownYet: '它的卡片尚未显示。',
    nothingUndelivered: '所有消息都已送达。',
    modelLine: ({ model }) => `- 模型：${model}`,
    model: ({ label, chosenBy, answered, fault }) =>
      [
        label,
        chosenBy === undefined ? '' : zhChoices[chosenBy],
        fault === undefined ? '' : `：自 ${fault.since} 起：${fault.words}`,
        answered === undefined ? '' : `，上次回答于 ${answered}`,
      ].join(''),
    chatLine: ({ key, agent, has }) => {
      const gone = agent?.isGone === true ? '（不在配置中，因此没有工具）' : '';
      const parts = [
        ...(agent === undefined ? [] : [`使用智能体 ${agent.name}${gone}`]),
        ...has.map((own) => ({ instructions: '有专用指令', model: '有专用模型' })[own]),
      ];
      return `- 这个聊天：${parts.length === 0 ? '没有专用设置' : parts.join('，')}（${key}）`;
    },
    modeLine: ({ mode, policy }) =>
      `- 模式：${mode}（${chineseModes[mode]}）；批准：${policy}（${chinesePolicies[policy]}）`,
    proxyLine: ({ proxy }) => `- 代理：${proxy}`,
    shellLine: ({ bounds }) => `- Shell：${bounds}`,
    workspaceLine: ({ folder }) => `- 工作区：${folder}`,
    modeForbids: ({ mode }) => `${mode} 模式下不运行任何命令`,
    inSandbox: '在沙箱中（bubblewrap）',
    sandboxMissing: ({ reason }) => `不运行任何命令：配置要求沙箱，但没有可用的沙箱（${reason}）`,
    noSandbox: ({ reason, asks, outlives }) =>
      `没有沙箱（${reason}）：${asks ? '每条命令都等你批准' : '并且规则不询问任何人：命令可以做当前系统用户能做的一切'}${outlives ? '；命令启动并隐藏的进程可能在命令结束后继续运行' : ''}`,
    taint: ({ sources, isPrivate }) =>
      `🔓 这里读过可能由他人写的内容（${sources}）${isPrivate ? '，也读过你的私有内容' : ''}：可能造成危害或把内容传出去的操作都会先询问。\`/new\` 可结束这种状态，所有者也可以用 \`/trust here\`。`,
    programsUnheard: ({ places }) =>
      `🔇 在 ${places.join('、')} 里我不读机器人的消息：它们连续写了好几条。有人在那里给我发消息后恢复。`,
    channels: ({ lines }) => ['渠道：', ...lines].join('\n'),
    channelLine: ({ name, state, duration, heard, again }) =>
      `${name}：${state}，已持续 ${duration}${heard === undefined ? '' : `，上次收到消息是在 ${heard}前`}${again === undefined ? '' : `，${again}后重试`}`,
    channelState: ({ status, reason = '', account, isOff }) => {
      switch (status) {
        case 'connecting':
          return '正在连接';
        case 'connected':
          return account === undefined ? '已连接' : `已连接，账号 ${account}`;
        case 'failing':
          return `无法连接（${reason}）`;
        case 'dead':
          return `${isOff ? '已关闭' : '被拒绝'}（${reason}）`;
      }
    },
    waitingLine: ({ what, until, conversationIds }) =>
      `🔑 ${what}，${until === undefined ? '尚未显示' : `${until} 过期`}${conversationIds === undefined ? '' : conversationIds.length === 0 ? '，没有人可以决定' : `，已在 ${conversationIds.join('、')} 询问`}`,
    strangersAsk: ({ count }) => `👋 有 ${count} 个陌生人请求加入：\`/people\`。`,
    undeliveredLine: ({ what, time, conversationId, fate, channel, reason }) => {
      const fates = {
        asks: '等你决定',
        held: '等那个聊天恢复接收后再询问',
        retried: '会继续重试，至少每 15 分钟一次',
        off: `等 ${channel} 重新开启后发送`,
      };
      return `⚠️ 未送达：${what}（${time}，${conversationId}），${fates[fate]}${reason === undefined ? '' : `（${reason}）`}`;
    },
  },
});

/** The answers of `/usage` and `/grants`. */
export const listWords = catalogue({
  en: {
    usedToday: ({ zone, lines }: Lines & { readonly zone: string }) => [`Used today (${zone}):`, ...lines].join('\n'),
    inConversation: 'In this conversation',
    forYou: 'For you',
    everyone: 'Everyone',
    spentLine: ({ of, spent, model }: SpentLine) => `- ${of}: ${spent}${model === undefined ? '' : ` (${model})`}`,
    modelSpent: ({ model, spent }: { readonly model: string; readonly spent: string }) => `  - ${model}: ${spent}`,
    /** Mentions money only if some was spent or is limited. */
    spent: ({ tokens, tokenLimit, money, moneyLimit }: Spent) =>
      [
        `${tokens}${tokenLimit === undefined ? '' : ` of ${tokenLimit}`} tokens`,
        ...(money === undefined ? [] : [`${money}${moneyLimit === undefined ? '' : ` of ${moneyLimit}`}`]),
      ].join(', '),
    perMessage: ({ tokens, money }: PerMessage) =>
      `Answering one message may take ${[tokens === undefined ? [] : `${tokens} tokens`, money ?? []].flat().join(' and ')} before I ask.`,
    noGrants: ({ minutes }: { readonly minutes: number }) =>
      `No saved permissions in this chat. The buttons *${minutes} min* and *Always* of a card save one.`,
    grants: ({ lines }: Lines) => ['**Saved permissions in this chat**', ...lines].join('\n'),
    buttonRevoke: ({ number }: Numbered) => `Revoke ${number}`,
    buttonRevokeAll: 'Revoke all',
    buttonRevokeOne: 'Revoke',
    allowed: ({ grant }: { readonly grant: string }) => `✅ Allowed: ${grant}`,
    grantLine: ({ kind, what, uses = 0, requester, until, notBy }: GrantLine) =>
      [
        `${kind === 'window' ? 'every call of' : 'always'} ${what} for ${requester}`,
        until === undefined ? '' : `, until ${until}`,
        kind === 'rule' ? `, used ${uses === 1 ? 'once' : `${uses} times`}` : '',
        notBy === undefined ? '' : `. Not in force: ${notBy}, who gave it, may no longer decide`,
      ].join(''),
  },
  zh: {
    usedToday: ({ zone, lines }) => [`今天的用量（${zone}）：`, ...lines].join('\n'),
    inConversation: '这个对话',
    forYou: '你',
    everyone: '所有人',
    spentLine: ({ of, spent, model }) => `- ${of}：${spent}${model === undefined ? '' : `（${model}）`}`,
    modelSpent: ({ model, spent }) => `  - ${model}：${spent}`,
    spent: ({ tokens, tokenLimit, money, moneyLimit }) =>
      [
        `${tokens} 个 token${tokenLimit === undefined ? '' : `，上限 ${tokenLimit}`}`,
        ...(money === undefined ? [] : [`${money}${moneyLimit === undefined ? '' : `，上限 ${moneyLimit}`}`]),
      ].join('；'),
    perMessage: ({ tokens, money }) =>
      `回答一条消息最多用 ${[tokens === undefined ? [] : `${tokens} 个 token`, money ?? []].flat().join(' 和 ')}，超出前会先询问。`,
    noGrants: ({ minutes }) => `这个聊天没有已保存的权限。卡片上的按钮“批准 ${minutes} 分钟”和“始终允许”可以保存一项。`,
    grants: ({ lines }) => ['**这个聊天中已保存的权限**', ...lines].join('\n'),
    buttonRevoke: ({ number }) => `撤销 ${number}`,
    buttonRevokeAll: '全部撤销',
    buttonRevokeOne: '撤销',
    allowed: ({ grant }) => `✅ 已允许：${grant}`,
    grantLine: ({ kind, what, uses = 0, requester, until, notBy }) =>
      [
        `${kind === 'window' ? `允许 ${requester} 每次调用` : `始终允许 ${requester}`} ${what}`,
        until === undefined ? '' : `，${until} 过期`,
        kind === 'rule' ? `，已使用 ${uses} 次` : '',
        notBy === undefined ? '' : `。未生效：授予者 ${notBy} 已无权决定`,
      ].join(''),
  },
});

interface Lines {
  readonly lines: readonly string[];
}

/** What the modes of the config let the agent do, and when its policies ask. */
const englishModes: Readonly<Record<AgentMode, string>> = {
  observer: 'it only reads',
  assistant: 'the policy decides',
  autonomous: 'it asks only before the worst',
};

const chineseModes: Readonly<Record<AgentMode, string>> = {
  observer: '只读取',
  assistant: '按批准策略决定',
  autonomous: '只在最危险的操作前询问',
};

const englishPolicies: Readonly<Record<ApprovalPolicy, string>> = {
  always_allow: 'no call asks',
  always_require: 'each call asks',
  require_for_tools: 'calls of listed tools ask',
  require_for_dangerous: 'dangerous calls ask',
};

const chinesePolicies: Readonly<Record<ApprovalPolicy, string>> = {
  always_allow: '都不询问',
  always_require: '每次调用都询问',
  require_for_tools: '列出的工具要询问',
  require_for_dangerous: '危险的调用要询问',
};

/** Who has chosen the model. */
type ChosenBy = 'people' | 'chat' | 'nobody';

const enChoices: Readonly<Record<ChosenBy, string>> = {
  people: ' (chosen here by /model)',
  chat: ' (set for this chat)',
  nobody: ' (the one that was chosen here is no longer in the config)',
};

const zhChoices: Readonly<Record<ChosenBy, string>> = {
  people: '（由 /model 在这里选择）',
  chat: '（为这个聊天设置）',
  nobody: '（之前在这里选择的模型已不在配置中）',
};

interface ModelWords {
  readonly label: string;
  readonly chosenBy: ChosenBy | undefined;
  /** When it last answered. */
  readonly answered: string | undefined;
  readonly fault: { readonly since: string; readonly words: string } | undefined;
}

interface ChatWords {
  /** The key of the config. */
  readonly key: string;
  readonly agent: { readonly name: string; readonly isGone: boolean } | undefined;
  readonly has: readonly ('instructions' | 'model')[];
}

interface NoSandbox {
  readonly reason: string;
  /** Every command asks. */
  readonly asks: boolean;
  /** What a command starts may outlive it. */
  readonly outlives: boolean;
}

interface ChannelWords {
  readonly name: string;
  readonly state: string;
  /** For how long. */
  readonly duration: string;
  /** How long ago something was heard. */
  readonly heard: string | undefined;
  /** In how long it is tried again. */
  readonly again: string | undefined;
}

interface ChannelStateWords {
  readonly status: 'connecting' | 'connected' | 'failing' | 'dead';
  readonly reason: string | undefined;
  readonly account: string | undefined;
  /** It is not tried again. */
  readonly isOff: boolean;
}

interface Health {
  readonly duration: string;
  readonly isWorking: boolean;
  /** Markdown. */
  readonly model: string;
  /** The names of channels. */
  readonly connected: readonly string[];
}

interface WaitingLine {
  readonly what: string;
  /** Undefined: it is not shown yet. */
  readonly until: string | undefined;
  /** Where it was asked, if that is elsewhere. */
  readonly conversationIds: readonly string[] | undefined;
}

interface UndeliveredLine {
  readonly what: string;
  readonly time: string;
  readonly conversationId: string;
  /** `off`: its channel is off. */
  readonly fate: 'asks' | 'held' | 'retried' | 'off';
  readonly channel: string;
  readonly reason: string | undefined;
}

interface SpentLine {
  /** Whose it is. */
  readonly of: string;
  readonly spent: string;
  /** The only model. */
  readonly model: string | undefined;
}

interface Spent {
  readonly tokens: string;
  readonly tokenLimit: string | undefined;
  readonly money: string | undefined;
  readonly moneyLimit: string | undefined;
}

interface PerMessage {
  readonly tokens: string | undefined;
  readonly money: string | undefined;
}

interface Numbered {
  /** From 1. */
  readonly number: number;
}

interface GrantLine {
  readonly kind: 'window' | 'always' | 'rule';
  readonly what: string;
  /** How many calls it has let run. */
  readonly uses?: number;
  readonly requester: string;
  readonly until: string | undefined;
  /** Who gave it, if they may no longer decide. */
  readonly notBy: string | undefined;
}
