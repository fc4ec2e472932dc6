import { callSigns } from '../../lib/call-signs.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { clockTime, dayWords, type Reader } from '../../lib/time-words.ts';
import { catalogue } from '../../lib/words.ts';
import type { Fate } from './call-words.ts';

/** The days of a log. */
interface Days {
  readonly name: 'today' | 'yesterday' | 'days';
  readonly from: number;
  readonly reader: Reader;
}

/** A line of a log. All but the id as markdown. */
interface LogLine {
  readonly time: string;
  readonly fate: Fate;
  /** Undefined: the reader's own chat. */
  readonly person: string | undefined;
  readonly place: string | undefined;
  readonly what: string;
  readonly decidedBy: string | undefined;
}

/** Tools that were only counted. */
interface Counted {
  readonly tools: readonly { readonly name: string; readonly count: number }[];
  /** Of the others, all together. */
  readonly more: number;
}

/** `/log`, for people. */
export const evidenceWords = catalogue({
  en: {
    menu: {
      log: {
        description: 'What was done today, and what came of it',
        argument: '[yesterday or 7d]',
        help: '`/log`, `/log yesterday`, `/log 7d`: what was done here, and what came of it',
      },
    },
    wrongPeriod: '`/log` knows `/log today`, `/log yesterday`, and `/log 7d` for the last seven days (90 at most).',
    logTitle: ({
      days,
      count,
      isEverywhere,
    }: {
      readonly days: Days;
      readonly count: number;
      readonly isEverywhere: boolean;
    }) =>
      `📒 **${englishDays(days)}**${isEverywhere ? ', in all conversations' : ''}: ${count === 1 ? 'one action' : `${count} actions`}`,
    logLine: (line: LogLine) => {
      const who =
        line.person === undefined ? '' : `${line.person}${line.place === undefined ? '' : ` in ${line.place}`}: `;
      return `- ${line.time} ${signs[line.fate]} ${who}${line.what} · ${englishFates[line.fate]}${line.decidedBy === undefined ? '' : ` by ${line.decidedBy}`}`;
    },
    logUndone: ({ paths }: { readonly paths: readonly string[] }) =>
      `↩️ undid a change${paths.length === 0 ? '' : ` of ${paths.map(pathCode).join(', ')}`}`,
    logCounts: ({ tools, more }: Counted) =>
      `And without a change: ${[...tools.map(({ name, count }) => `${pathCode(name)} ×${count}`), ...(more > 0 ? [`others ×${more}`] : [])].join(', ')}.`,
    logEmpty: ({ days, isEverywhere }: { readonly days: Days; readonly isEverywhere: boolean }) =>
      `📒 **${englishDays(days)}**${isEverywhere ? ', in all conversations' : ''}: no changes, no questions.`,
    logCut: 'Earlier calls are not shown: there are too many.',
    buttonOlder: 'More',
    buttonNewer: 'Newer',
    buttonToday: 'Today',
    buttonYesterday: 'Yesterday',
    buttonWeek: '7 days',
    nobodysName: 'somebody',
    oneDay: ({ at, reader }: { readonly at: number; readonly reader: Reader }) =>
      `${dayWords(at, reader)} ${clockTime(at, reader)}`,
  },
  zh: {
    menu: {
      log: {
        description: '今天做了什么，结果如何',
        argument: '[yesterday 或 7d]',
        help: '`/log`、`/log yesterday`、`/log 7d`：这里做了什么，结果如何',
      },
    },
    wrongPeriod: '可用：`/log today`、`/log yesterday`，或 `/log 7d` 查看最近 7 天（最多 90 天）。',
    logTitle: ({ days, count, isEverywhere }) =>
      `📒 **${chineseDays(days)}**${isEverywhere ? '（所有会话）' : ''}：${count} 项操作`,
    logLine: (line) => {
      const who =
        line.person === undefined ? '' : `${line.person}${line.place === undefined ? '' : `（${line.place}）`}：`;
      return `- ${line.time} ${signs[line.fate]} ${who}${line.what} · ${chineseFates[line.fate]}${line.decidedBy === undefined ? '' : `（${line.decidedBy}）`}`;
    },
    logUndone: ({ paths }) => `↩️ 撤销了一次改动${paths.length === 0 ? '' : `：${paths.map(pathCode).join('、')}`}`,
    logCounts: ({ tools, more }) =>
      `没有改动的还有：${[...tools.map(({ name, count }) => `${pathCode(name)} ×${count}`), ...(more > 0 ? [`其他 ×${more}`] : [])].join('、')}。`,
    logEmpty: ({ days, isEverywhere }) =>
      `📒 **${chineseDays(days)}**${isEverywhere ? '（所有会话）' : ''}：没有改动，也没有询问。`,
    logCut: '更早的调用太多，未显示。',
    buttonOlder: '更早',
    buttonNewer: '更新',
    buttonToday: '今天',
    buttonYesterday: '昨天',
    buttonWeek: '7 天',
    nobodysName: '某人',
    oneDay: ({ at, reader }) => `${dayWords(at, reader)} ${clockTime(at, reader)}`,
  },
});

const signs: Readonly<Record<Fate, string>> = {
  waiting: callSigns.waiting,
  running: callSigns.running,
  done: callSigns.done,
  allowed: callSigns.done,
  failed: callSigns.failed,
  refused: callSigns.denied,
  denied: callSigns.denied,
  expired: callSigns.expired,
  stopped: callSigns.stopped,
  cutOff: callSigns.cutOff,
};

const englishFates: Readonly<Record<Fate, string>> = {
  waiting: 'waits for a decision',
  running: 'is running',
  done: 'done without asking',
  allowed: 'allowed',
  failed: 'failed',
  refused: 'forbidden by a rule',
  denied: 'denied',
  expired: 'nobody decided in time',
  stopped: 'stopped',
  cutOff: 'cut off, outcome unknown',
};

const chineseFates: Readonly<Record<Fate, string>> = {
  waiting: '等待决定',
  running: '进行中',
  done: '已执行，未询问',
  allowed: '已批准',
  failed: '出错',
  refused: '规则禁止',
  denied: '已拒绝',
  expired: '没有人及时决定',
  stopped: '已停止',
  cutOff: '中断，结果未知',
};

function englishDays({ name, from, reader }: Days): string {
  switch (name) {
    case 'today':
      return 'Today';
    case 'yesterday':
      return 'Yesterday';
    case 'days':
      return `Since ${dayWords(from, reader)}`;
  }
}

function chineseDays({ name, from, reader }: Days): string {
  switch (name) {
    case 'today':
      return '今天';
    case 'yesterday':
      return '昨天';
    case 'days':
      return `${dayWords(from, reader)}以来`;
  }
}

function pathCode(path: string): string {
  return inlineCode(oneLine(path, 64));
}
