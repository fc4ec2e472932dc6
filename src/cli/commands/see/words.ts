/* What the commands print that look at a Keyturn. Plain text, for a terminal. */

import { clockTime, dayWords, durationWords, isSameDay, machineZone } from '../../../lib/time-words.ts';
import { catalogue, type Language } from '../../../lib/words.ts';

/** An instant as a person at this machine reads it: with its day, unless that is today's. */
export function instantWords(at: number, now: number, language: Language): string {
  const reader = { ...machineZone(), language };
  const time = clockTime(at, reader);
  return isSameDay(at, now, reader) ? time : `${dayWords(at, reader)} ${time}`;
}

/** `1.5 GB` */
export function sizeWords(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[step] ?? ''}`;
}

/** `cost` is in millionths. */
export function costWords(cost: number, currency: string): string {
  const digits = cost < 100_000 ? { maximumFractionDigits: 6 } : {};
  return (cost / 1_000_000).toLocaleString('en-US', { style: 'currency', currency, ...digits });
}

export const seeWords = catalogue({
  en: {
    runs: ({ version, duration, pid }: { readonly version: string; readonly duration: number; readonly pid: number }) =>
      `Keyturn ${version} runs: up ${durationWords(duration)} (process ${pid}).`,
    labels: {
      model: 'Model',
      waits: 'Waits',
      permissions: 'Permissions',
      today: 'Today',
      disk: 'Disk',
      data: 'Data',
      warning: 'Warning',
    },
    model: ({ name, at }: { readonly name: string; readonly at: string | undefined }) =>
      `${name}${at === undefined ? '; not asked yet' : `; answered ${at}`}`,
    modelFault: ({ name, since, text }: FaultyModel) => `${name} has not answered since ${since}: ${text}`,
    channelConnected: ({ heardAt }: { readonly heardAt: string }) => `connected; last heard ${heardAt}`,
    channelDown: ({ status, since, reason, retryAt }: DownChannel) =>
      `${downWords[status]} since ${since}${reason === undefined ? '' : `: ${reason}`}${retryAt === undefined ? '' : ` It is tried again at ${retryAt}.`}`,
    nothingWaits: 'nothing',
    waiting: ({ approvals, questions, undelivered, strangers }: Waiting) =>
      [
        count(approvals, 'approval', 'approvals'),
        count(questions, 'question', 'questions'),
        count(undelivered, 'message not delivered', 'messages not delivered'),
        count(strangers, 'person asks to be let in', 'people ask to be let in'),
      ]
        .flat()
        .join(', '),
    grants: ({ count: many }: { readonly count: number }) => `${many} saved`,
    spent: ({ tokens, cost }: { readonly tokens: number; readonly cost: string | undefined }) =>
      `${tokens.toLocaleString('en-US')} tokens${cost === undefined ? '' : `, ${cost}`}`,
    disk: ({ free, database }: { readonly free: string; readonly database: string }) =>
      `${free} free; the database has ${database}`,
    unclaimed: 'Nobody owns it yet. Its first lines, or its log, say how to claim it.',

    noApprovals: 'Nothing waits for a decision.',
    approvalLine: ({ requester, conversation, until }: ApprovalWords) =>
      `asked for ${requester} in ${conversation}${until === undefined ? '; not shown yet' : `; until ${until}`}`,
    isQuestion: 'a question: answer it in the chat',
    howToDecide: ({ id }: { readonly id: string }) =>
      `To decide: keyturn approvals approve ${id}   or   keyturn approvals deny ${id} REASON`,
    approved: ({ what }: { readonly what: string }) => `Approved: ${what}`,
    denied: ({ what }: { readonly what: string }) => `Denied: ${what}`,
    fromTool:
      'A command that a tool of Keyturn runs cannot decide. Decide in your own terminal, or with the buttons of the card.',
  },
  zh: {
    runs: ({ version, duration, pid }) =>
      `Keyturn ${version} 正在运行：已运行 ${durationWords(duration, 'zh')}（进程 ${pid}）。`,
    labels: {
      model: '模型',
      waits: '等待中',
      permissions: '已存的许可',
      today: '今天',
      disk: '磁盘',
      data: '数据',
      warning: '警告',
    },
    model: ({ name, at }) => `${name}${at === undefined ? '；还没有用过' : `；上次回答 ${at}`}`,
    modelFault: ({ name, since, text }) => `${name} 从 ${since} 起没有回答：${text}`,
    channelConnected: ({ heardAt }) => `已连接；上次收到 ${heardAt}`,
    channelDown: ({ status, since, reason, retryAt }) =>
      `从 ${since} 起${downWordsZh[status]}${reason === undefined ? '' : `：${reason}`}${retryAt === undefined ? '' : ` ${retryAt} 再试。`}`,
    nothingWaits: '没有',
    waiting: ({ approvals, questions, undelivered, strangers }) =>
      [
        approvals === 0 ? [] : `${approvals} 个待批准`,
        questions === 0 ? [] : `${questions} 个提问`,
        undelivered === 0 ? [] : `${undelivered} 条消息未送达`,
        strangers === 0 ? [] : `${strangers} 人请求加入`,
      ]
        .flat()
        .join('，'),
    grants: ({ count: many }) => `${many} 个`,
    spent: ({ tokens, cost }) => `${tokens.toLocaleString('en-US')} 个 token${cost === undefined ? '' : `，${cost}`}`,
    disk: ({ free, database }) => `剩余 ${free}；数据库 ${database}`,
    unclaimed: '还没有所有者。启动时的头几行或日志里写着怎么认领。',

    noApprovals: '没有待决事项。',
    approvalLine: ({ requester, conversation, until }) =>
      `为 ${requester} 请求，在 ${conversation}${until === undefined ? '；还没有显示' : `；${until} 前有效`}`,
    isQuestion: '这是一个提问：在聊天中回答',
    howToDecide: ({ id }) => `决定：keyturn approvals approve ${id}   或   keyturn approvals deny ${id} 理由`,
    approved: ({ what }) => `已批准：${what}`,
    denied: ({ what }) => `已拒绝：${what}`,
    fromTool: 'Keyturn 的工具所运行的命令不能做决定。在你自己的终端里决定，或用卡片上的按钮。',
  },
});

interface FaultyModel {
  readonly name: string;
  readonly since: string;
  readonly text: string;
}

interface DownChannel {
  readonly status: 'connecting' | 'failing' | 'dead';
  readonly since: string;
  readonly reason: string | undefined;
  readonly retryAt: string | undefined;
}

interface Waiting {
  readonly approvals: number;
  readonly questions: number;
  readonly undelivered: number;
  readonly strangers: number;
}

interface ApprovalWords {
  readonly requester: string;
  readonly conversation: string;
  readonly until: string | undefined;
}

const downWords = { connecting: 'connecting', failing: 'failing', dead: 'refused by its platform' } as const;
const downWordsZh = { connecting: '正在连接', failing: '出错', dead: '被平台拒绝' } as const;

function count(many: number, one: string, several: string): string | readonly string[] {
  return many === 0 ? [] : `${many} ${many === 1 ? one : several}`;
}
