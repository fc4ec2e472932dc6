import { callSigns } from '../lib/call-signs.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import { textWidth } from '../lib/text-width.ts';
import { clockTime, durationWords, type Reader } from '../lib/time-words.ts';
import { catalogue, type Language } from '../lib/words.ts';
import { sourceIn } from '../tools/taint-sources.ts';
import type { ApprovalState, AskReason } from './approval.ts';

/** What somebody decided, for those who read the card. As markdown. */
interface Decided {
  readonly person: string;
  readonly what: string;
  readonly time: string;
}

/** Something that waits, with its commands as markdown. */
interface Waiting {
  readonly what: string;
  readonly until: number;
  readonly reader: Reader;
}

/** The same with its time as markdown. */
interface Timed {
  readonly what: string;
  readonly time: string;
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
    reason: (reason: AskReason) => englishReason(reason),
    calledBy: ({ reason, worker }: { readonly reason: string; readonly worker: string }) =>
      `${reason}; ${worker} calls it`,
    severalParts: (parts: readonly string[]) => parts.join('; '),
    answered: ({ person, answer }: { readonly person: string; readonly answer: string }) => `💬 ${person}: ${answer}`,
    /** On cards of an older Keyturn. */
    openFor: (duration: number) => `Open for ${durationWords(duration)}`,
    openUntil: ({ until, reader }: { readonly until: number; readonly reader: Reader }) =>
      `Open until ${clockTime(until, reader)}`,
    forwarded: (what: string) => `🔑 Waiting for an owner to allow: ${what}`,
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
    stillUnanswered: ({ what, time }: Timed) => `❓ I still wait for your answer until ${time}: ${what}`,
    stillWaiting: ({ what, time }: Timed) => `🔑 Still waiting until ${time}: ${what}`,
    /** The end of the next three. */
    aboutCall: (what: string) => `: ${what}`,
    approved: ({ person, what, time }: Decided) => `✅ ${person} allowed it at ${time}: ${what}`,
    approvedForAWhile: ({
      person,
      what,
      time,
      until,
      tool,
    }: Decided & { readonly until: string; readonly tool: string }) =>
      `✅ ${person} allowed it at ${time}, and ${tool} here until ${until}: ${what}`,
    approvedForGood: ({ person, what, time }: Decided) =>
      `✅ ${person} allowed it at ${time}, and exactly this always: ${what}`,
    denied: ({ person, what, time, reason }: Decided & { readonly reason: string | undefined }) =>
      `${callSigns.denied} ${person} denied it at ${time}${reason === undefined ? '' : ` (${reason})`}: ${what}`,
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
    buttonWindow: ({ minutes, target, more }: Window) => windowLabel(`${minutes} min`, ': ', { target, more }),
    mayI: ({ reason, what }: { readonly reason: string; readonly what: string }) => `⏸️ ${reason} May I **${what}**?`,
    mayIUntil: ({ time, canWrite }: { readonly time: string; readonly canWrite: boolean }) =>
      `${canWrite ? 'Or just write what I should do. ' : ''}Expires ${time}, and then it ends.`,
    letGoOn: ({ person, what, time }: Decided) => `▶️ ${person} let me go on at ${time}: ${what}`,
    heldBack: ({ person, what, time }: Decided) => `⏹️ ${person} stopped it at ${time}: I did not ${what}.`,
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
    reason: (reason) => chineseReason(reason),
    calledBy: ({ reason, worker }) => `${reason}；由 ${worker} 调用`,
    severalParts: (parts) => parts.join('；'),
    answered: ({ person, answer }) => `💬 ${person}：${answer}`,
    openFor: (duration) => `${durationWords(duration, 'zh')}后过期`,
    openUntil: ({ until, reader }) => `${clockTime(until, reader)} 过期`,
    forwarded: (what) => `🔑 等所有者批准：${what}`,
    passedOnFrom: ({ conversation, at, reader }) =>
      `${clockTime(at, reader)} 在 ${conversation} 中提出，现在你可以决定。`,
    passedOn: (what) => `↪️ 这里不再询问：${what}。由其他人决定。`,
    askedAgain: (what) => `↪️ 已在下方重新询问：${what}`,
    unattended: ({ what, until, reader }) =>
      `🔑 已经没有人可以决定：${what}。等所有者决定，${clockTime(until, reader)} 过期。`,
    unreachable: (what) => `🔑 未经所有者批准，我不能执行：${what}。我也不知道在哪个聊天中能找到所有者。`,
    stillUnanswered: ({ what, time }) => `❓ 仍在等你回答（${time} 过期）：${what}`,
    stillWaiting: ({ what, time }) => `🔑 仍在等你决定（${time} 过期）：${what}`,
    aboutCall: (what) => `：${what}`,
    approved: ({ person, what, time }) => `✅ ${person} 于 ${time} 批准：${what}`,
    approvedForAWhile: ({ person, what, time, until, tool }) =>
      `✅ ${person} 于 ${time} 批准，${until} 前这里再调用 ${tool}${tool.endsWith('）') ? '' : ' '}也不询问：${what}`,
    approvedForGood: ({ person, what, time }) => `✅ ${person} 于 ${time} 批准，完全相同的操作以后始终允许：${what}`,
    denied: ({ person, what, time, reason }) =>
      `${callSigns.denied} ${person} 于 ${time} 拒绝${reason === undefined ? '' : `（${reason}）`}：${what}`,
    unanswered: (what) => `${callSigns.expired} 没有人及时回答：${what}`,
    expired: (what) => `${callSigns.expired} 已过期，没有人及时决定：${what}`,
    cancelled: (what) => `${callSigns.stopped} 已取消：${what}`,
    uncalled: (what) => `${callSigns.stopped} 已取消，因为提问的调用已结束：${what}`,
    stopped: `${callSigns.stopped} 已停止。`,
    targets: ({ tool, targets, more }) => `${tool}（${targets.join('、')}${more > 0 ? `，以及另外 ${more} 个` : ''}）`,
    sources: (listed) => chineseList(listed),
    buttonWindow: ({ minutes, target, more }) => windowLabel(`${minutes} 分钟`, '：', { target, more }),
    mayI: ({ reason, what }) => `⏸️ ${reason}可以**${what}**${/[\w`]$/.test(what) ? ' ' : ''}吗？`,
    mayIUntil: ({ time, canWrite }) => `${canWrite ? '或者直接写下我该做什么。' : ''}${time} 过期，届时任务结束。`,
    letGoOn: ({ person, what, time }) => `▶️ ${person} 于 ${time} 允许：${what}`,
    heldBack: ({ person, what, time }) => `⏹️ ${person} 于 ${time} 停止，未执行：${what}。`,
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
