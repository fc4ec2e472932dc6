import { callSigns } from '../lib/call-signs.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import { textWidth } from '../lib/text-width.ts';
import { clockTime, durationWords, type Reader } from '../lib/time-words.ts';
import { catalogue, type Language } from '../lib/words.ts';
import { sourceIn } from '../tools/taint-sources.ts';
import type { ApprovalState, AskReason } from './approval.ts';

/** Who asks, and in which conversation if the card stands in another. As markdown. */
interface Asker {
  readonly person: string;
  readonly conversation: string | undefined;
}

/** A call on a card. `asker` is left out where the card names them once. All as markdown. */
interface CallFacts {
  readonly tool: string;
  readonly category: string;
  readonly reason: string;
  readonly asker: Asker | undefined;
}

/** What somebody decided, for those who read the card. `person` and `what` are markdown. */
interface Decided {
  readonly person: string;
  readonly what: string;
  readonly at: number;
  readonly reader: Reader;
}

/** Something that waits, with its commands as markdown. */
interface Waiting {
  readonly what: string;
  readonly until: number;
  readonly reader: Reader;
}

/** The window of a saved permission: for how long, and for which target. */
interface Window {
  readonly minutes: number;
  readonly target: string | undefined;
  readonly more: number;
}

/** Cards, their buttons, and what is said about them. */
export const approvalWords = catalogue({
  en: {
    joint: ({ count, person, conversation }: Asker & { readonly count: number }) =>
      `🔑 **Do these ${count} things?** Asked for ${person}${conversation === undefined ? '' : ` in ${conversation}`}. You decide about all of them at once.`,
    question: (what: string) => `${what.charAt(0).toUpperCase()}${what.slice(1)}?`,
    facts: ({ tool, category, reason, asker }: CallFacts) =>
      `Tool ${tool}, category ${category}${asker === undefined ? '' : `, for ${asker.person}${asker.conversation === undefined ? '' : ` in ${asker.conversation}`}`}. Asked because ${reason}.`,
    reason: (reason: AskReason) => englishReason(reason),
    calledBy: ({ reason, worker }: { readonly reason: string; readonly worker: string }) =>
      `${reason}; ${worker} calls it`,
    severalParts: (parts: readonly string[]) => parts.join('; '),
    answered: ({ person, answer }: { readonly person: string; readonly answer: string }) => `💬 ${person}: ${answer}`,
    boundFile: ({ path, note }: { readonly path: string; readonly note: string }) => `${path} (${note})`,
    bound: ({ files, more }: { readonly files: readonly string[]; readonly more: number }) =>
      `Bound to ${[...files, ...(more > 0 ? [`${more} more`] : [])].join(', ')}. If that changes before it runs, it does not run.`,
    boundToNothing: ({ isGrantable }: { readonly isGrantable: boolean }) =>
      `Bound to the command alone: Keyturn cannot tell what it runs. That may change before it runs${isGrantable ? ', so there is no "Always"' : ''}.`,
    runsMore: ({ isGrantable }: { readonly isGrantable: boolean }) =>
      `Keyturn cannot tell what else it runs. That may change before it runs${isGrantable ? ', so there is no "Always"' : ''}.`,
    noWindow: (source: string) =>
      `No "15 min": its answer may hold words of others (${source}), and then each call asks again. For a tool whose answers only you can write, the operator can set \`trusted\`.`,
    openFor: (duration: number) => `Open for ${durationWords(duration)}`,
    openUntil: ({ until, reader }: { readonly until: number; readonly reader: Reader }) =>
      `Open until ${clockTime(until, reader)}`,
    howToDecide: ({ open, id }: { readonly open: string; readonly id: string }) =>
      `${open}. Or type \`/approve ${id}\`, \`/deny ${id} reason\`.`,
    forwarded: (what: string) => `🔑 I asked an owner for permission to ${what}. I will go on when it is decided.`,
    passedOnFrom: ({
      conversation,
      at,
      reader,
    }: {
      readonly conversation: string;
      readonly at: number;
      readonly reader: Reader;
    }) => `Asked in ${conversation} at ${clockTime(at, reader)}, and now you may decide it.`,
    passedOn: (what: string) => `↪️ No longer asked here: ${what}. Others decide it.`,
    askedAgain: (what: string) => `↪️ Asked again below: ${what}`,
    unattended: ({ what, until, reader }: Waiting) =>
      `🔑 Nobody is left who may decide this: ${what}. It waits for an owner until ${clockTime(until, reader)}.`,
    unreachable: (what: string) =>
      `🔑 I may not ${what} without an owner's permission, and I know of no chat in which an owner could give it.`,
    stillUnanswered: ({ what, until, reader }: Waiting) =>
      `❓ I still wait for your answer: ${what} Until ${clockTime(until, reader)}.`,
    stillWaiting: ({ what, until, reader, id }: Waiting & { readonly id: string }) =>
      `🔑 Still waiting: ${what} Until ${clockTime(until, reader)}. Press a button above, or type \`/approve ${id}\` or \`/deny ${id}\`.`,
    approved: ({ person, what, at, reader }: Decided) =>
      `✅ Approved by ${person} at ${clockTime(at, reader)}: ${what}`,
    approvedForAWhile: ({ person, what, at, reader, tool }: Decided & { readonly tool: string }) =>
      `✅ Approved by ${person} at ${clockTime(at, reader)}, as is every later call of ${tool} here for a while: ${what}`,
    approvedForGood: ({ person, what, at, reader }: Decided) =>
      `✅ Approved by ${person} at ${clockTime(at, reader)}, this time and always: ${what}`,
    denied: ({ person, what, at, reader, reason }: Decided & { readonly reason: string | undefined }) =>
      `${callSigns.denied} Denied by ${person} at ${clockTime(at, reader)}${reason === undefined ? '' : ` (${reason})`}: ${what}`,
    unanswered: (what: string) => `${callSigns.expired} Nobody answered in time: ${what}`,
    expired: (what: string) => `${callSigns.expired} Nobody decided in time: ${what}`,
    cancelled: (what: string) => `${callSigns.stopped} Called off: ${what}`,
    uncalled: (what: string) => `${callSigns.stopped} Called off, since what asked has ended: ${what}`,
    stopped: `${callSigns.stopped} Stopped.`,
    targets: ({
      tool,
      targets,
      more,
    }: {
      readonly tool: string;
      readonly targets: readonly string[];
      readonly more: number;
    }) => `${tool} with ${targets.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    /** Of untrusted content, as they are stored. */
    sources: (listed: Listed) => englishList(listed),
    buttonApprove: '✅ Approve',
    buttonApproveAll: (count: number) => `✅ Approve all ${count}`,
    buttonDeny: '❌ Deny',
    buttonDenyAll: '❌ Deny all',
    buttonExplain: 'Deny, and say why',
    headingWhyNot: 'Why not?',
    buttonWindow: ({ minutes, target, more }: Window) => windowLabel(`${minutes} min`, ': ', { target, more }),
    buttonAlways: 'Always',
    mayI: ({ reason, what }: { readonly reason: string; readonly what: string }) => `⏸️ ${reason} May I **${what}**?`,
    mayIHow: ({
      person,
      conversation,
      duration,
      id,
      canWrite,
    }: Asker & { readonly duration: number; readonly id: string; readonly canWrite: boolean }) =>
      `For ${person}${conversation === undefined ? '' : ` in ${conversation}`}. Open for ${durationWords(duration)}; then it ends. Or type \`/approve ${id}\`, \`/deny ${id}\`.${canWrite ? ' Or just write what I should do.' : ''}`,
    letGoOn: ({ person, what, at, reader }: Decided) => `▶️ ${person} at ${clockTime(at, reader)} let me ${what}.`,
    heldBack: ({ person, what, at, reader }: Decided) =>
      `⏹️ Stopped by ${person} at ${clockTime(at, reader)}: I did not ${what}.`,
    nobodySaid: ({ canGoOn }: { readonly canGoOn: boolean }) =>
      `⏸️ Nobody said whether I should go on, so I have stopped here.${canGoOn ? ' Say "go on" if I should continue.' : ''}`,
    waitsForBudget: ({ until, reader }: { readonly until: number; readonly reader: Reader }) =>
      `⏳ I have read this, and will answer it when somebody lets me go on: the budget is used up. If nobody does by ${clockTime(until, reader)}, I drop the current task.`,
    buttonGoOn: '▶️ Go on for this run',
    buttonStop: '⏹️ Stop',
    toastSettled: (state: ApprovalState) =>
      ({
        approved: 'That is already approved.',
        denied: 'That is already denied.',
        answered: 'That is already answered.',
        expired: 'Too late: nobody decided in time, so it did not run.',
        pending: 'That was called off before.',
        cancelled: 'That was called off before.',
      })[state],
    writeOrPress: 'Write your answer, or press a button.',
    pressOrWrite: 'Press a button, or write your own answer.',
    justWrite: 'Just write your answer.',
  },
  zh: {
    joint: ({ count, person, conversation }) =>
      `🔑 **要做这 ${count} 件事吗？** 请求者：${person}${conversation === undefined ? '' : `，来自 ${conversation}`}。你的决定对全部生效。`,
    question: (what) => `${what}？`,
    facts: ({ tool, category, reason, asker }) =>
      `工具 ${tool}，类别 ${category}${asker === undefined ? '' : `，请求者 ${asker.person}${asker.conversation === undefined ? '' : `，来自 ${asker.conversation}`}`}。需要批准的原因：${reason}。`,
    reason: (reason) => chineseReason(reason),
    calledBy: ({ reason, worker }) => `${reason}；由 ${worker} 调用`,
    severalParts: (parts) => parts.join('；'),
    answered: ({ person, answer }) => `💬 ${person}：${answer}`,
    boundFile: ({ path, note }) => `${path}（${note}）`,
    bound: ({ files, more }) =>
      `批准仅对这些文件的当前内容有效：${files.join('、')}${more > 0 ? `，以及另外 ${more} 个` : ''}。运行前若有改动，就不会运行。`,
    boundToNothing: ({ isGrantable }) =>
      `批准仅对这条命令有效：Keyturn 无法判断它会运行什么。运行前内容可能改变${isGrantable ? '，因此没有“始终允许”' : ''}。`,
    runsMore: ({ isGrantable }) =>
      `Keyturn 无法判断它还会运行什么。运行前内容可能改变${isGrantable ? '，因此没有“始终允许”' : ''}。`,
    noWindow: (source) =>
      `没有“批准 15 分钟”：返回的内容可能出自他人（${source}），之后每次调用都会重新询问。如果某个工具返回的内容只有你能写，运维人员可以设置 \`trusted\`。`,
    openFor: (duration) => `${durationWords(duration, 'zh')}后过期`,
    openUntil: ({ until, reader }) => `${clockTime(until, reader)} 过期`,
    howToDecide: ({ open, id }) => `${open}。也可以输入 \`/approve ${id}\`、\`/deny ${id} 原因\`。`,
    forwarded: (what) => `🔑 已向所有者请求批准：${what}。有决定后我会继续。`,
    passedOnFrom: ({ conversation, at, reader }) =>
      `${clockTime(at, reader)} 在 ${conversation} 中提出，现在你可以决定。`,
    passedOn: (what) => `↪️ 这里不再询问：${what}。由其他人决定。`,
    askedAgain: (what) => `↪️ 已在下方重新询问：${what}`,
    unattended: ({ what, until, reader }) =>
      `🔑 已经没有人可以决定：${what}。等所有者决定，${clockTime(until, reader)} 过期。`,
    unreachable: (what) => `🔑 未经所有者批准，我不能执行：${what}。我也不知道在哪个聊天中能找到所有者。`,
    stillUnanswered: ({ what, until, reader }) => `❓ 仍在等你回答，${clockTime(until, reader)} 过期：${what}`,
    stillWaiting: ({ what, until, reader, id }) =>
      `🔑 仍在等你决定：${what}${clockTime(until, reader)} 过期。按上面的按钮，或输入 \`/approve ${id}\` 或 \`/deny ${id}\`。`,
    approved: ({ person, what, at, reader }) => `✅ ${person} 于 ${clockTime(at, reader)} 批准：${what}`,
    approvedForAWhile: ({ person, what, at, reader, tool }) =>
      `✅ ${person} 于 ${clockTime(at, reader)} 批准，一段时间内这里再调用 ${tool}${tool.endsWith('）') ? '' : ' '}也不询问：${what}`,
    approvedForGood: ({ person, what, at, reader }) =>
      `✅ ${person} 于 ${clockTime(at, reader)} 批准，这次和以后始终允许：${what}`,
    denied: ({ person, what, at, reader, reason }) =>
      `${callSigns.denied} ${person} 于 ${clockTime(at, reader)} 拒绝${reason === undefined ? '' : `（${reason}）`}：${what}`,
    unanswered: (what) => `${callSigns.expired} 没有人及时回答：${what}`,
    expired: (what) => `${callSigns.expired} 已过期，没有人及时决定：${what}`,
    cancelled: (what) => `${callSigns.stopped} 已取消：${what}`,
    uncalled: (what) => `${callSigns.stopped} 已取消，因为提问的调用已结束：${what}`,
    stopped: `${callSigns.stopped} 已停止。`,
    targets: ({ tool, targets, more }) => `${tool}（${targets.join('、')}${more > 0 ? `，以及另外 ${more} 个` : ''}）`,
    sources: (listed) => chineseList(listed),
    buttonApprove: '✅ 批准',
    buttonApproveAll: (count) => `✅ 全部批准（${count} 项）`,
    buttonDeny: '❌ 拒绝',
    buttonDenyAll: '❌ 全部拒绝',
    buttonExplain: '拒绝并说明原因',
    headingWhyNot: '为什么拒绝？',
    buttonWindow: ({ minutes, target, more }) => windowLabel(`批准 ${minutes} 分钟`, '：', { target, more }),
    buttonAlways: '始终允许',
    mayI: ({ reason, what }) => `⏸️ ${reason}可以**${what}**${/[\w`]$/.test(what) ? ' ' : ''}吗？`,
    mayIHow: ({ person, conversation, duration, id, canWrite }) =>
      `请求者：${person}${conversation === undefined ? '' : `，来自 ${conversation}`}。${durationWords(duration, 'zh')}后过期，任务随之结束。也可以输入 \`/approve ${id}\`、\`/deny ${id}\`。${canWrite ? '或者直接写下我该做什么。' : ''}`,
    letGoOn: ({ person, what, at, reader }) => `▶️ ${person} 于 ${clockTime(at, reader)} 允许：${what}。`,
    heldBack: ({ person, what, at, reader }) => `⏹️ ${person} 于 ${clockTime(at, reader)} 停止，未执行：${what}。`,
    nobodySaid: ({ canGoOn }) => `⏸️ 没有人说是否继续，我先停在这里。${canGoOn ? '如果要我继续，就说“继续”。' : ''}`,
    waitsForBudget: ({ until, reader }) =>
      `⏳ 已读到这条消息。额度已用完，有人允许我继续后我就回答。如果到 ${clockTime(until, reader)} 还没有人允许，我会放弃当前任务。`,
    buttonGoOn: '▶️ 本次继续',
    buttonStop: '⏹️ 停止',
    toastSettled: (state) =>
      ({
        approved: '已经批准。',
        denied: '已经拒绝。',
        answered: '已经回答。',
        expired: '已过期：没有人及时决定，未执行。',
        pending: '之前已取消。',
        cancelled: '之前已取消。',
      })[state],
    writeOrPress: '写下你的回答，或按一个按钮。',
    pressOrWrite: '按一个按钮，或写下你自己的回答。',
    justWrite: '直接写下你的回答。',
  },
});

/** Half a sentence: why a call is asked for. Names are markdown. */
function englishReason(reason: AskReason): string {
  switch (reason.because) {
    case 'tainted':
      return `this conversation has read content that others may have written${inBrackets(' (', englishList(reason), ')')}`;
    case 'could-leak':
      return `a request could carry out what was read here, and this conversation has also read content that others may have written${inBrackets(' (', englishList(reason), ')')}`;
    case 'destructive':
      return 'it may destroy something for good';
    case 'unreadable':
      return 'what it runs cannot be read, and some commands are forbidden';
    case 'required':
      return `\`require_for\` names ${reason.tool}`;
    case 'unconfined':
      return 'no sandbox limits what it does';
    case 'every-call':
      return 'every call is asked for';
    case 'dangerous-tool':
      return `${reason.tool} is a dangerous tool`;
    case 'dangerous-category':
      return `its category, ${reason.category}, is dangerous`;
  }
}

function chineseReason(reason: AskReason): string {
  switch (reason.because) {
    case 'tainted':
      return `这个对话读过可能出自他人的内容${inBrackets('（', chineseList(reason), '）')}`;
    case 'could-leak':
      return `请求可能把这里读到的内容带出去，而且这个对话还读过可能出自他人的内容${inBrackets('（', chineseList(reason), '）')}`;
    case 'destructive':
      return '它可能造成无法撤销的破坏';
    case 'unreadable':
      return '无法判断它会运行什么，而有些命令被禁止';
    case 'required':
      return `\`require_for\` 包含 ${reason.tool}`;
    case 'unconfined':
      return '没有沙箱限制它';
    case 'every-call':
      return '每次调用都要批准';
    case 'dangerous-tool':
      return `${reason.tool} 是危险工具`;
    case 'dangerous-category':
      return `它的类别 ${reason.category} 是危险类别`;
  }
}

interface Listed {
  readonly sources: readonly string[];
  readonly more: number;
}

function englishList({ sources, more }: Listed): string {
  return `${shown(sources, 'en').join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function chineseList({ sources, more }: Listed): string {
  return `${shown(sources, 'zh').join('、')}${more > 0 ? `，以及另外 ${more} 个` : ''}`;
}

/** As code: strangers may have chosen the names. */
function shown(sources: readonly string[], language: Language): readonly string[] {
  return sources.map((source) => inlineCode(oneLine(sourceIn(language, source), 200)));
}

function inBrackets(open: string, list: string, close: string): string {
  return list === '' ? '' : `${open}${list}${close}`;
}

/** As much of the target as a button holds, and how many more there are. */
function windowLabel(time: string, colon: string, { target, more }: Pick<Window, 'target' | 'more'>): string {
  if (target === undefined) return time;
  const end = more > 0 ? ` +${more}` : '';
  const room = mostCells - textWidth(time) - textWidth(colon) - end.length;
  return cutTo(mostCells, `${time}${colon}${cutTo(room, target)}${end}`);
}

/** What a button holds on a phone, in cells of a terminal. */
const mostCells = 30;

/** Cut in the middle: the end of an address says most. */
function cutTo(cells: number, text: string): string {
  for (let length = cells; length > 1; length -= 1) {
    const cut = oneLine(text, length);
    if (textWidth(cut) <= cells) return cut;
  }
  return '…';
}
