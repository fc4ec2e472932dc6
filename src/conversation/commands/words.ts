import { catalogue } from '../../lib/words.ts';
import type { HeldZone } from '../access/time-zones.ts';

/** The core's commands as menus and `/help` tell of them. */
export const commandWords = catalogue({
  en: {
    menu: {
      stop: {
        description: 'Stop the current run in this conversation',
        argument: '',
        help: '`/stop`: end the current run, and cancel what waits',
      },
      new: { description: 'Begin a clean conversation', argument: '', help: '`/new`: begin a new conversation' },
      approve: {
        description: 'Let a waiting tool call run',
        argument: 'ID',
        help: '`/approve ID`, `/deny ID reason`: answer a request without its buttons',
      },
      deny: { description: 'Refuse a waiting tool call', argument: 'ID [reason]', help: '' },
      status: {
        description: 'Show what is running and what waits',
        argument: '',
        help: '`/status`: what runs, what waits, what is wrong',
      },
      help: { description: 'Explain what can be done here', argument: '[all or NAME]', help: '' },
      model: {
        description: 'Show or choose the model that answers here',
        argument: '[NAME]',
        help: '`/model`, `/model NAME`: the model that answers here',
      },
      usage: {
        description: 'Show what the models took today',
        argument: '',
        help: '`/usage`: tokens and cost today',
      },
      grants: {
        description: 'Show the saved permissions',
        argument: '',
        help: '`/grants`, `/revoke ID`: saved permissions',
      },
      revoke: { description: 'End a saved permission', argument: 'ID', help: '' },
      timezone: {
        description: 'Show or set your time zone',
        argument: '[CITY]',
        help: '`/timezone`, `/timezone CITY`: your time zone',
      },
      language: {
        description: 'Show or set your language',
        argument: '[en or zh]',
        help: '`/language`, `/language zh`: your language',
      },
      tools: {
        description: 'List the tools that can be used here',
        argument: '',
        help: '`/tools`: the tools that can be used here',
      },
      context: {
        description: "Show what fills the model's window",
        argument: '',
        help: "`/context`, `/compact`: what fills the model's window, and how to make room",
      },
      compact: { description: 'Summarise the older part of this conversation', argument: '', help: '' },
      retry: {
        description: 'Send again what could not be shown',
        argument: 'ID',
        help: '`/retry ID`, `/drop ID`: messages that could not be sent',
      },
      drop: { description: 'Give up what could not be shown', argument: 'ID', help: '' },
      pair: {
        description: 'Let in somebody with a code',
        argument: 'CODE',
        help: '`/pair CODE`, `/people`, `/unpair ID`: who may talk to me',
      },
      people: { description: 'Show who may talk to me', argument: '[refuse ID]', help: '' },
      unpair: { description: 'Let somebody in no longer', argument: 'ID', help: '' },
      claim: { description: 'Become the owner', argument: 'CODE', help: '' },
    },
    sections: { now: 'Any time', here: 'This chat', yours: 'Your accounts and devices', owners: 'For owners' },
    about:
      '**Keyturn** answers with a language model and acts through tools. Before it does anything dangerous it asks here, and waits.\nSay, for example: “list the files” · “remind me tomorrow at 9 to call Lin” · “remember that I drink no milk”.',
    moreHelp: '`/help all` lists every command, `/help NAME` explains one.',
    buttonAllCommands: 'All commands',
    helpWith: ({ command, description }: { readonly command: string; readonly description: string }) =>
      `${command}: ${description}`,
    trustHereHelp: '`/trust here`: trust what was read in this chat until now',
    unknown: ({ command }: { readonly command: string }) => `No ${command}. \`/help\` shows what there is.`,
    didYouMean: ({ command, meant }: { readonly command: string; readonly meant: string }) =>
      `No ${command}. Did you mean ${meant}?`,
    ownersOnly: 'Only an owner of this Keyturn can do that.',
    ownersOnlySee: 'Only an owner of this Keyturn can see that.',
    notInGroups: 'Write that to me in a chat of our own: it is not for a group to read.',
    tooManyGuesses: 'Too many wrong codes. Try again in an hour.',
    /** Follows the answer to a command that concerns one conversation, given where each thread is one. */
    threadHint: ({ command }: { readonly command: string }) =>
      `Each thread here is a conversation of its own: to ask one, write ${command} in it.`,
    /** Said after the storage had failed. */
    storedNow: ({ answer }: { readonly answer: string }) => `✅ It is stored now. ${answer}`,
    nothingToStop: 'There was nothing to stop.',
    stopHeld: '🛑 Stopped.',
    newHeld: '🛑 Stopped, to begin a new conversation.',
    stopped: ({ cancelled }: { readonly cancelled: number }) => `🛑 Stopped.${calledOff(cancelled)}`,
    startedOver: ({ cancelled, pinned }: { readonly cancelled: number; readonly pinned: number }) =>
      `✨ A new conversation. I no longer use what was said before.${calledOff(cancelled)}${pinned === 0 ? '' : ' What is pinned here is kept: `/pins` shows it, `/unpin all` takes it away.'}`,
    whichToRevoke: 'Say which: `/revoke ID` or `/revoke all`. `/grants` shows them.',
    noSuchGrant: 'There is no such permission here. `/grants` shows them.',
    revoked: ({ count }: { readonly count: number }) =>
      count === 1 ? 'Revoked. It will be asked for again.' : `Revoked ${count} permissions.`,
    alreadyOwned: 'This Keyturn already has an owner.',
    codeGone:
      'I cannot do that now: a part of my program is gone from the machine since I was started, as after an update. Whoever runs me must restart me.',
    commandFailed:
      'Something went wrong inside me, and that may not have been done. Whoever runs me finds the reason in my log.',
    wrongClaim: 'That is not the code. It stands in my log since I started: `/claim CODE`.',
    claimed: '🔑 This Keyturn is yours now. Write to me, for example: list the files. `/help` shows more.',
    nothingUntrusted: 'Nothing was read here that others may have written.',
    trustedHere: ({ sources }: { readonly sources: string }) =>
      `What was read here now counts as trusted: ${sources}. What is read next counts again.`,
    nothingToDecide: 'Nothing waits for your decision here. `/status` shows what waits elsewhere.',
    triedAgain: 'I am trying it again.',
    dropped: 'Dropped.',
    waitsNoLonger: 'That is no longer waiting.',
    /** Below an answer that stands in place of a list. */
    buttonShowAgain: 'Show the list',
    buttonMore: 'More …',
    buttonBack: 'Back',
    noSuchMessage: 'No such message waits here. `/status` shows what waits.',
    triedAgainFor: ({ name, time }: ByWhom) => `🔁 Tried again for ${name} at ${time}.`,
    droppedBy: ({ name, time }: ByWhom) => `🗑 Dropped by ${name} at ${time}.`,
    zoneForgotten: 'Forgotten. `/timezone` shows which time zone holds for you now.',
    zoneSet: ({ zone, time }: { readonly zone: string; readonly time: string }) =>
      `Your time zone is ${zone} now, where it is ${time}. What is planned keeps the time zone that it was planned in.`,
    zoneHeld: ({ zone, time, source, channel }: ZoneWords) =>
      `Your time zone is ${zone}: ${enZoneSources({ channel })[source]}. It is ${time} there. ${source === 'set' ? '`/timezone CITY` changes it, `/timezone off` forgets it.' : '`/timezone CITY` sets yours.'}`,
  },
  zh: {
    menu: {
      stop: {
        description: '停止这个对话中正在进行的任务',
        argument: '',
        help: '`/stop`：停止正在进行的任务，并取消等待中的操作',
      },
      new: { description: '开始一个全新的对话', argument: '', help: '`/new`：开始新的对话' },
      approve: {
        description: '批准等待中的工具调用',
        argument: 'ID',
        help: '`/approve ID`、`/deny ID 原因`：不用按钮也能答复请求',
      },
      deny: { description: '拒绝等待中的工具调用', argument: 'ID [原因]', help: '' },
      status: {
        description: '查看正在进行和等待中的事项',
        argument: '',
        help: '`/status`：正在进行什么、在等什么、哪里出了问题',
      },
      help: { description: '说明在这里可以做什么', argument: '[all 或命令名]', help: '' },
      model: {
        description: '查看或选择在这里回答的模型',
        argument: '[名称]',
        help: '`/model`、`/model 名称`：在这里回答的模型',
      },
      usage: { description: '查看模型今天的用量', argument: '', help: '`/usage`：今天的 token 用量和费用' },
      grants: { description: '查看已保存的权限', argument: '', help: '`/grants`、`/revoke ID`：已保存的权限' },
      revoke: { description: '撤销一项已保存的权限', argument: 'ID', help: '' },
      timezone: {
        description: '查看或设置你的时区',
        argument: '[城市]',
        help: '`/timezone`、`/timezone 城市`：你的时区',
      },
      language: {
        description: '查看或设置你的语言',
        argument: '[en 或 zh]',
        help: '`/language`、`/language en`：你的语言',
      },
      tools: { description: '列出这里可用的工具', argument: '', help: '`/tools`：这里可用的工具' },
      context: {
        description: '查看模型上下文窗口的占用情况',
        argument: '',
        help: '`/context`、`/compact`：上下文窗口里有什么，以及如何腾出空间',
      },
      compact: { description: '把这个对话较早的部分总结成摘要', argument: '', help: '' },
      retry: {
        description: '重新发送未能显示的消息',
        argument: 'ID',
        help: '`/retry ID`、`/drop ID`：未能发出的消息',
      },
      drop: { description: '丢弃未能显示的消息', argument: 'ID', help: '' },
      pair: {
        description: '凭配对码允许某人和我对话',
        argument: '配对码',
        help: '`/pair 配对码`、`/people`、`/unpair ID`：谁可以和我对话',
      },
      people: { description: '查看谁可以和我对话', argument: '[refuse ID]', help: '' },
      unpair: { description: '不再允许某人和我对话', argument: 'ID', help: '' },
      claim: { description: '成为所有者', argument: '认领码', help: '' },
    },
    sections: { now: '随时可用', here: '这个聊天', yours: '你的账号和设备', owners: '仅限所有者' },
    about:
      '**Keyturn** 用语言模型回答，并通过工具做事。做任何危险的事之前，它都会先在这里询问，等你决定。\n比如说：“列出文件”“明天早上 9 点提醒我给小林打电话”“记住我不喝牛奶”。',
    moreHelp: '`/help all` 列出全部命令，`/help 命令名` 说明其中一条。',
    buttonAllCommands: '全部命令',
    helpWith: ({ command, description }) => `${command}：${description}`,
    trustHereHelp: '`/trust here`：信任到目前为止在这个聊天中读到的内容',
    unknown: ({ command }) => `没有 ${command}。\`/help\` 会列出可用的命令。`,
    didYouMean: ({ command, meant }) => `没有 ${command}。你是想用 ${meant} 吗？`,
    ownersOnly: '只有这个 Keyturn 的所有者可以这样做。',
    ownersOnlySee: '只有这个 Keyturn 的所有者可以查看。',
    notInGroups: '在和我的私聊里发这条命令：内容不适合在群里公开。',
    tooManyGuesses: '输错的次数太多。一小时后再试。',
    threadHint: ({ command }) => `这里的每个话题都是单独的对话：要查某个话题，就在那个话题里发送 ${command}。`,
    storedNow: ({ answer }) => `✅ 已保存。${answer}`,
    nothingToStop: '没有正在进行的任务。',
    stopHeld: '🛑 已停止。',
    newHeld: '🛑 已停止，准备开始新的对话。',
    stopped: ({ cancelled }) => `🛑 已停止。${zhCalledOff(cancelled)}`,
    startedOver: ({ cancelled, pinned }) =>
      `✨ 新的对话已开始。我不再参考之前说过的内容。${zhCalledOff(cancelled)}${pinned === 0 ? '' : '这里置顶的内容会保留：`/pins` 可查看，`/unpin all` 可全部取消。'}`,
    whichToRevoke: '要撤销哪一项？发送 `/revoke ID` 或 `/revoke all`。`/grants` 会列出它们。',
    noSuchGrant: '这里没有这项权限。`/grants` 会列出已保存的权限。',
    revoked: ({ count }) => (count === 1 ? '已撤销。下次会再询问。' : `已撤销 ${count} 项权限。`),
    alreadyOwned: '这个 Keyturn 已经有所有者了。',
    codeGone: '现在做不到：我启动之后，程序的一部分从机器上消失了，比如更新之后。请运行我的人重启我。',
    commandFailed: '我内部出错了，这件事可能没有做成。运行我的人可以在日志里看到原因。',
    wrongClaim: '认领码不对。正确的在我启动时的日志里：`/claim 认领码`。',
    claimed: '🔑 这个 Keyturn 现在归你了。直接给我发消息吧，例如：列出文件。更多用法见 `/help`。',
    nothingUntrusted: '这里没有读到过可能由他人写的内容。',
    trustedHere: ({ sources }) => `到目前为止在这里读到的内容现在视为可信：${sources}。之后读到的内容仍按不可信处理。`,
    nothingToDecide: '这里没有等你决定的事项。`/status` 会列出其他地方在等的事项。',
    triedAgain: '正在重试。',
    dropped: '已丢弃。',
    waitsNoLonger: '这条消息已不再等待。',
    buttonShowAgain: '显示列表',
    buttonMore: '更多…',
    buttonBack: '返回',
    noSuchMessage: '这里等待中的消息没有这个 ID。`/status` 会列出等待中的消息。',
    triedAgainFor: ({ name, time }) => `🔁 已应 ${name} 的要求于 ${time} 重试。`,
    droppedBy: ({ name, time }) => `🗑 ${name} 于 ${time} 丢弃了这条消息。`,
    zoneForgotten: '已清除你设置的时区。`/timezone` 会显示现在对你生效的时区。',
    zoneSet: ({ zone, time }) => `你的时区现在是 ${zone}，当地时间是 ${time}。已有的计划仍按制定时的时区进行。`,
    zoneHeld: ({ zone, time, source, channel }) =>
      `你的时区是 ${zone}：${zhZoneSources({ channel })[source]}。当地时间是 ${time}。${source === 'set' ? '`/timezone 城市` 可更改，`/timezone off` 可清除。' : '`/timezone 城市` 可设置你的时区。'}`,
  },
});

interface ByWhom {
  readonly name: string;
  readonly time: string;
}

type ZoneSource = HeldZone['source'];

interface ZoneWords {
  readonly zone: string;
  readonly time: string;
  readonly source: ZoneSource;
  readonly channel: string;
}

function enZoneSources({ channel }: { readonly channel: string }): Readonly<Record<ZoneSource, string>> {
  return {
    set: 'you have set it',
    people: 'the config says so, in `people`',
    platform: `${channel} says so`,
    chat: 'the config says so for this group',
    config: 'it is the default of this Keyturn, `tools.schedule.time_zone`',
    machine: 'it is that of the machine that I run on, and nobody has said where you are',
  };
}

function zhZoneSources({ channel }: { readonly channel: string }): Readonly<Record<ZoneSource, string>> {
  return {
    set: '由你设置',
    people: '来自配置中的 `people`',
    platform: `来自 ${channel}`,
    chat: '来自配置中这个群的设置',
    config: '这是这个 Keyturn 的默认值 `tools.schedule.time_zone`',
    machine: '这是我所在机器的时区，还没有人说明你在哪里',
  };
}

function calledOff(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' One call was called off.' : ` ${count} calls were called off.`;
}

function zhCalledOff(count: number): string {
  return count === 0 ? '' : `已取消 ${count} 个调用。`;
}
