import { type NamedRule, ruleWords } from '../../approval/rules/words.ts';
import { callSigns } from '../../lib/call-signs.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { clockTime, dayWords, type Reader, secondsWords } from '../../lib/time-words.ts';
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
  /** The decision allowed it, whatever came of it then. */
  readonly isAllowed: boolean;
  /** For `/why`. */
  readonly id: string | undefined;
}

/** Tools that were only counted. */
interface Counted {
  readonly tools: readonly { readonly name: string; readonly count: number }[];
  /** Of the others, all together. */
  readonly more: number;
}

/** Which rule let a call run, or asked for it. Texts and names as markdown. */
export type RuleWords =
  | { readonly rule: 'asked'; readonly reason: string }
  | { readonly rule: 'refused' | 'invalid'; readonly said: string }
  | {
      readonly rule: 'by-rule';
      readonly named: NamedRule;
      readonly giver: string;
      readonly id: string;
      /** When it was allowed. */
      readonly at: number;
      readonly reader: Reader;
    }
  | { readonly rule: 'grant'; readonly giver: string; readonly id: string; readonly isAlways: boolean }
  | {
      readonly rule:
        | 'policy-off'
        | 'not-dangerous'
        | 'autonomous'
        | 'allow-rule'
        | 'own-words'
        | 'question'
        | 'unknown';
    };

/** A decision about a call. `place`: where it was made, if that is another chat. */
interface Decided {
  readonly person: string;
  readonly at: number;
  readonly reader: Reader;
  readonly isAllowed: boolean;
  readonly place: string | undefined;
}

/** What else is known of a call. */
interface WhyFacts {
  readonly tool: string;
  readonly category: string | undefined;
  readonly ids: readonly string[];
  readonly worker: string | undefined;
  readonly hook: string | undefined;
  readonly duration: number | undefined;
  readonly isUnconfined: boolean;
}

/** `/log` and `/why`, for people. */
export const evidenceWords = catalogue({
  en: {
    menu: {
      why: {
        description: 'Why the last call ran, or asked',
        argument: '[ID]',
        help: '`/why`, `/why ID`, or in reply to a card: by which rule it ran or asked',
      },
      log: {
        description: 'What was done today, with outcomes',
        argument: '[yesterday or 7d]',
        help: '`/log`, `/log yesterday`, `/log 7d`: what was done here, with outcomes',
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
      return `- ${line.time} ${signs[line.fate]} ${who}${line.what} · ${englishFates[line.fate]}${line.decidedBy === undefined ? '' : `${line.isAllowed && line.fate !== 'allowed' ? ', allowed' : ''} by ${line.decidedBy}`}${idWords(line.id)}`;
    },
    logUndone: ({ paths }: { readonly paths: readonly string[] }) =>
      `↩️ undid a change${paths.length === 0 ? '' : ` of ${paths.map(pathCode).join(', ')}`}`,
    logCounts: ({ tools, more }: Counted) =>
      `And without a change: ${[...tools.map(({ name, count }) => `${pathCode(name)} ×${count}`), ...(more > 0 ? [`others ×${more}`] : [])].join(', ')}.`,
    logEmpty: ({ days, isEverywhere }: { readonly days: Days; readonly isEverywhere: boolean }) =>
      `📒 **${englishDays(days)}**${isEverywhere ? ', in all conversations' : ''}: no changes, no questions.`,
    logCut: 'Earlier calls are not shown: there are too many.',
    whyHow:
      '`/why` explains the last call here, `/why ID` the one with an id from `/log` or from a card. Or reply to a card with `/why`.',
    whyNone: 'No tool was called here yet.',
    whyUnknown: (id: string) => `No call ${id} is known here. \`/log\` shows their ids.`,
    whyTitle: ({
      what,
      at,
      reader,
      fate,
    }: {
      readonly what: string;
      readonly at: number;
      readonly reader: Reader;
      readonly fate: Fate;
    }) => `🔍 **Why?** ${what} · ${dayWords(at, reader)} ${clockTime(at, reader)} · ${englishFates[fate]}`,
    whyRule: (rule: RuleWords) => englishRule(rule),
    whyDecided: ({ person, at, reader, isAllowed, place }: Decided) =>
      `${isAllowed ? 'Allowed' : 'Denied'} by ${person} at ${clockTime(at, reader)}${place === undefined ? '' : `, in ${place}`}`,
    whyOwnChat: 'a chat with me',
    whyModel: ({ model, isClean }: { readonly model: string; readonly isClean: boolean }) =>
      `Called by the model ${model}${isClean ? ', which had read nothing that strangers may have written' : ''}`,
    whyDetails: 'Everything',
    whyFacts: ({ tool, category, ids, worker, hook, duration, isUnconfined }: WhyFacts) =>
      [
        `Tool ${tool}`,
        ...(category === undefined ? [] : [`category ${category}`]),
        ...(worker === undefined ? [] : [`worker ${worker}`]),
        ...(hook === undefined ? [] : [`arguments changed by the hook ${hook}`]),
        ...(isUnconfined ? ['no sandbox'] : []),
        ...(duration === undefined ? [] : [`took ${secondsWords(duration)}`]),
        `id ${ids.join(' / ')}`,
      ].join(' · '),
    buttonEarlier: 'The call before',
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
      why: {
        description: '上一次操作为何执行，或为何询问',
        argument: '[ID]',
        help: '`/why`、`/why ID`，或回复卡片：哪条规则让它执行或询问，谁批准的',
      },
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
      return `- ${line.time} ${signs[line.fate]} ${who}${line.what} · ${chineseFates[line.fate]}${line.decidedBy === undefined ? '' : `（${line.decidedBy}${line.isAllowed && line.fate !== 'allowed' ? ' 批准' : ''}）`}${idWords(line.id)}`;
    },
    logUndone: ({ paths }) => `↩️ 撤销了一次改动${paths.length === 0 ? '' : `：${paths.map(pathCode).join('、')}`}`,
    logCounts: ({ tools, more }) =>
      `没有改动的还有：${[...tools.map(({ name, count }) => `${pathCode(name)} ×${count}`), ...(more > 0 ? [`其他 ×${more}`] : [])].join('、')}。`,
    logEmpty: ({ days, isEverywhere }) =>
      `📒 **${chineseDays(days)}**${isEverywhere ? '（所有会话）' : ''}：没有改动，也没有询问。`,
    logCut: '更早的调用太多，未显示。',
    whyHow: '`/why` 说明这里的上一次操作，`/why ID` 说明指定的操作（ID 见 `/log` 或卡片）。也可以用 `/why` 回复卡片。',
    whyNone: '这里还没有调用过工具。',
    whyUnknown: (id) => `这里没有操作 ${id}。\`/log\` 会列出 ID。`,
    whyTitle: ({ what, at, reader, fate }) =>
      `🔍 **为什么？** ${what} · ${dayWords(at, reader)} ${clockTime(at, reader)} · ${chineseFates[fate]}`,
    whyRule: (rule) => chineseRule(rule),
    whyDecided: ({ person, at, reader, isAllowed, place }) =>
      `${person} 于 ${clockTime(at, reader)} ${isAllowed ? '批准' : '拒绝'}${place === undefined ? '' : `，在 ${place} 中`}`,
    whyOwnChat: '和我的私聊',
    whyModel: ({ model, isClean }) => `由模型 ${model} 调用${isClean ? '，之前没有读过可能出自他人的内容' : ''}`,
    whyDetails: '全部',
    whyFacts: ({ tool, category, ids, worker, hook, duration, isUnconfined }) =>
      [
        `工具 ${tool}`,
        ...(category === undefined ? [] : [`类别 ${category}`]),
        ...(worker === undefined ? [] : [`由 ${worker} 执行`]),
        ...(hook === undefined ? [] : [`参数被钩子 ${hook} 改过`]),
        ...(isUnconfined ? ['没有沙箱'] : []),
        ...(duration === undefined ? [] : [`耗时 ${secondsWords(duration, 'zh')}`]),
        `ID ${ids.join(' / ')}`,
      ].join(' · '),
    buttonEarlier: '上一次操作',
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

function englishRule(rule: RuleWords): string {
  switch (rule.rule) {
    case 'asked':
      return rule.reason === '' ? 'It asked first' : `It asked first: ${rule.reason}`;
    case 'refused':
      return `It did not run: “${rule.said}”`;
    case 'invalid':
      return `It was no valid call: “${rule.said}”`;
    case 'grant':
      return `It ran without asking: ${rule.giver} had allowed ${rule.isAlways ? 'exactly this always' : 'such calls for a while'} (${rule.id}, see \`/grants\`)`;
    case 'by-rule':
      return `It ran without asking: by the rule “${ruleWords.en.rule(rule.named)}” that ${rule.giver} allowed on ${dayWords(rule.at, rule.reader)} (${rule.id}, see \`/grants\`)`;
    case 'question':
      return 'It asks a person something, which needs no permission';
    case 'policy-off':
      return 'It ran without asking: the operator has switched asking off (`approval.policy`)';
    case 'not-dangerous':
      return 'It ran without asking: the policy asks for no call of this kind';
    case 'autonomous':
      return 'It ran without asking: the mode is autonomous (`agent.mode`)';
    case 'allow-rule':
      return 'It ran without asking: a rule of the operator allows this very call';
    case 'own-words':
      return 'It ran without asking: the own words of an approver contain all of it';
    case 'unknown':
      return 'It ran without asking; an older Keyturn did not note by which rule';
  }
}

function chineseRule(rule: RuleWords): string {
  switch (rule.rule) {
    case 'asked':
      return rule.reason === '' ? '先询问过' : `先询问过：${rule.reason}`;
    case 'refused':
      return `没有执行：“${rule.said}”`;
    case 'invalid':
      return `调用无效：“${rule.said}”`;
    case 'grant':
      return `未询问就执行：${rule.giver} 已${rule.isAlways ? '始终允许完全相同的操作' : '在一段时间内允许这类操作'}（${rule.id}，见 \`/grants\`）`;
    case 'by-rule':
      return `未询问就执行：按 ${rule.giver} 于 ${dayWords(rule.at, rule.reader)} 允许的规则“${ruleWords.zh.rule(rule.named)}”（${rule.id}，见 \`/grants\`）`;
    case 'question':
      return '这是向人提问，不需要批准';
    case 'policy-off':
      return '未询问就执行：运维人员已关闭询问（`approval.policy`）';
    case 'not-dangerous':
      return '未询问就执行：按策略，这类操作不询问';
    case 'autonomous':
      return '未询问就执行：当前是自主模式（`agent.mode`）';
    case 'allow-rule':
      return '未询问就执行：运维人员的规则允许这个操作';
    case 'own-words':
      return '未询问就执行：有权批准的人自己提出，而且说全了内容';
    case 'unknown':
      return '未询问就执行；旧版 Keyturn 没有记录依据哪条规则';
  }
}

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

function idWords(id: string | undefined): string {
  return id === undefined ? '' : ` · ${inlineCode(id)}`;
}
