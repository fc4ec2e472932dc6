import { type NamedRule, ruleWords } from '../../approval/rules/words.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { dayWords, type Reader } from '../../lib/time-words.ts';
import { catalogue } from '../../lib/words.ts';
import { enoughAtOnce, enoughOverDays, fewestDays } from './history.ts';

/** What a rule would have done. */
interface Figures {
  readonly saved: number;
  readonly since: number;
  /** As they are. */
  readonly examples: readonly string[];
  readonly more: number;
  readonly reader: Reader;
}

/** For whom and where a rule holds, as markdown. Undefined: for the reader, and here. */
interface Holder {
  readonly person: string | undefined;
  readonly place: string | undefined;
}

interface Given {
  readonly rule: NamedRule;
  readonly id: string;
  readonly place: string | undefined;
}

/** `/rule`, for people. */
export const rulesWords = catalogue({
  en: {
    menu: {
      rule: {
        description: 'Always allow what you keep approving',
        argument: '[ID]',
        help: '`/rule`: rules that open cards offer, so that you are not asked again',
      },
    },
    none: `No open card here offers a rule. After ${enoughAtOnce} equal approvals, or ${enoughOverDays} on ${fewestDays} different days, and no denial, the next card does. \`/grants\` shows what is allowed.`,
    list: '**Rules that open cards offer**',
    entry: (rule: NamedRule) => `- ${ruleWords.en.rule(rule)}`,
    buttonShow: ({ number }: { readonly number: number }) => `Show ${number}`,
    unknown: 'No card here offers that rule. `/rule` shows what is offered.',
    question: (rule: NamedRule) => `**Always allow this?** ${capital(ruleWords.en.rule(rule))}`,
    holds: (holder: Holder) => englishHolder(holder),
    figures: ({ saved, since, examples, more, reader }: Figures) =>
      `By the record since ${dayWords(since, reader)}, it would have saved ${saved} questions; none of those was denied: ${listed(examples, ', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    staysAsked:
      'Still asked: anything else, and this after content of others was read. `/grants` shows the rule, `/revoke` ends it.',
    changed: 'More was decided meanwhile. These are the figures now.',
    denied: 'No longer offered: such a call was denied. Each one is asked.',
    left: 'Nothing saved: each call is asked. The card still waits for your decision.',
    given: ({ rule, id, place }: Given) =>
      `✅ Always allowed: ${ruleWords.en.rule(rule)}. \`/revoke ${id}\`${place === undefined ? '' : ` in ${place}`} ends it.`,
    over: 'The card is decided, and no rule was saved with it. The next card offers it again.',
    alsoAlways: (rule: NamedRule) => ` · from now on always: ${ruleWords.en.rule(rule)}`,
    details: 'More',
    typed: ({ id, token }: { readonly id: string; readonly token: string }) => `Or type \`/rule ${id} ${token}\`.`,
    buttonAllow: '✅ Always allow',
    buttonNo: 'No, keep asking',
    buttonRevoke: 'Revoke',
  },
  zh: {
    menu: {
      rule: {
        description: '始终允许你反复批准的操作',
        argument: '[ID]',
        help: '`/rule`：查看卡片提供的规则，以后不再询问',
      },
    },
    none: `这里没有卡片提供规则。同样的操作批准 ${enoughAtOnce} 次，或在 ${fewestDays} 天里批准 ${enoughOverDays} 次，且从未拒绝，下一张卡片就会提供。\`/grants\` 会列出已允许的操作。`,
    list: '**卡片提供的规则**',
    entry: (rule) => `- ${ruleWords.zh.rule(rule)}`,
    buttonShow: ({ number }) => `查看 ${number}`,
    unknown: '这里没有卡片提供这条规则。`/rule` 会列出提供的规则。',
    question: (rule) => `**始终允许吗？** ${ruleWords.zh.rule(rule)}`,
    holds: ({ person, place }) =>
      `只对${person === undefined ? '你' : ` ${person} `}有效，只在${place === undefined ? '这个聊天' : ` ${place} `}中有效。`,
    figures: ({ saved, since, examples, more, reader }) =>
      `按 ${dayWords(since, reader)} 以来的记录，可以少问 ${saved} 次，其中没有一次被拒绝：${listed(examples, '、')}${more > 0 ? `，以及另外 ${more} 项` : ''}。`,
    staysAsked: '仍会询问：其他操作，以及读过他人内容之后的这类操作。`/grants` 会列出这条规则，`/revoke` 可以撤销。',
    changed: '其间又有新的决定，以下是最新数字。',
    denied: '不再提供：这类操作被拒绝过。每次都会询问。',
    left: '未保存规则：每次都会询问。卡片仍在等你决定。',
    given: ({ rule, id, place }) =>
      `✅ 已始终允许：${ruleWords.zh.rule(rule)}。${place === undefined ? '' : `在 ${place} 中`}发送 \`/revoke ${id}\` 可以撤销。`,
    over: '卡片已决定，没有保存规则。下一张卡片会再次提供。',
    alsoAlways: (rule) => ` · 以后始终允许：${ruleWords.zh.rule(rule)}`,
    details: '更多',
    typed: ({ id, token }) => `也可以输入 \`/rule ${id} ${token}\`。`,
    buttonAllow: '✅ 始终允许',
    buttonNo: '不，继续询问',
    buttonRevoke: '撤销',
  },
});

function englishHolder({ person, place }: Holder): string {
  return `It holds for ${person ?? 'you'} alone, and only in ${place ?? 'this chat'}.`;
}

function listed(examples: readonly string[], separator: string): string {
  return examples.map((one) => inlineCode(oneLine(one, 60))).join(separator);
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
