import { textWidth } from '../../lib/text-width.ts';
import { catalogue } from '../../lib/words.ts';
import type { Danger } from './danger.ts';

/** Somebody who asks, and in which conversation if the card stands in another. As markdown. */
export interface Asker {
  readonly person: string;
  readonly conversation: string | undefined;
}

/** What somebody said. `asker`: undefined if they read the card themselves. As markdown. */
interface Asked {
  readonly said: string;
  readonly asker: Asker | undefined;
}

/** What a run works for, as markdown. `asker` as above. */
interface Begun {
  readonly name: string;
  readonly asker: Asker | undefined;
}

/** A call in the folded part. All as markdown. */
interface CallFacts {
  readonly tool: string;
  readonly category: string;
  readonly reason: string;
  readonly asker: Asker | undefined;
}

/** Sources of untrusted content, as markdown, and how many more there are. */
interface Read {
  readonly sources: readonly string[];
  readonly more: number;
}

/** What a card says that asks for calls. */
export const cardWords = catalogue({
  en: {
    question: (what: string) => `${what.charAt(0).toUpperCase()}${what.slice(1)}?`,
    row: (what: string) => `${what.charAt(0).toUpperCase()}${what.slice(1)}`,
    joint: (count: number) => `Do these ${count} things?`,
    danger: (danger: Danger) =>
      ({
        lost: 'Cannot be undone.',
        leaks: 'Could send out what was read here.',
        strange: 'May not be your wish.',
      })[danger],
    /** Stands before what they said. */
    whoAsked: (asker: Asker | undefined) => englishAsker(asker),
    asked: ({ said, asker }: Asked) => `${englishAsker(asker)}“${said}”`,
    askedFor: ({ person, conversation }: Asker) =>
      `For ${person}${conversation === undefined ? '' : ` in ${conversation}`}`,
    schedule: ({ name, said, asker }: Begun & { readonly said: string }) =>
      `By the schedule ${name}${englishOf(asker)}: “${said}”`,
    webhook: ({ name, asker }: Begun) => `By the webhook ${name}${englishOf(asker)}`,
    worker: ({ name, asker }: Begun) => `By the worker ${name}${englishOf(asker)}`,
    afterReading: ({ sources, more }: Read) =>
      sources.length === 0
        ? 'after reading words of others'
        : `after reading ${sources.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    causes: (parts: readonly string[]) => capital(parts.join(' · ')),
    noSandbox: 'No sandbox limits what it does',
    unreadable: 'What it runs cannot be read, and some commands are forbidden',
    leadsElsewhere: ({ path, note }: { readonly path: string; readonly note: string }) => `${path} ${note}`,
    onlyAsIs: ({ files, more }: { readonly files: readonly string[]; readonly more: number }) =>
      `Runs ${files.join(', ')}${more > 0 ? ` and ${more} more` : ''}, and only as ${files.length + more === 1 ? 'it is' : 'they are'} now`,
    moreRisks: (count: number) => `and ${count} more, under “Everything”`,
    moreLines: (count: number) => `… ${count} more ${count === 1 ? 'line' : 'lines'}, under “Everything”`,
    moreText: (count: number) => `… ${count.toLocaleString('en')} more characters, under “Everything”`,
    expires: (time: string) => `expires ${time}`,
    everything: 'Everything',
    callNumber: (number: number) => `(${number})`,
    facts: ({ tool, category, reason, asker }: CallFacts) =>
      `Tool ${tool}, category ${category}${asker === undefined ? '' : `, for ${asker.person}${asker.conversation === undefined ? '' : ` in ${asker.conversation}`}`}. Asked because ${reason}.`,
    boundFile: ({ path, note }: { readonly path: string; readonly note: string }) => `${path} (${note})`,
    bound: ({ files, more }: { readonly files: readonly string[]; readonly more: number }) =>
      `Bound to ${[...files, ...(more > 0 ? [`${more} more`] : [])].join(', ')}. If that changes before it runs, it does not run.`,
    boundToNothing: ({ isGrantable }: { readonly isGrantable: boolean }) =>
      `Bound to the command alone: Keyturn cannot tell what it runs. That may change before it runs${isGrantable ? ', so there is no "Always"' : ''}.`,
    runsMore: ({ isGrantable }: { readonly isGrantable: boolean }) =>
      `Keyturn cannot tell what else it runs. That may change before it runs${isGrantable ? ', so there is no "Always"' : ''}.`,
    noWindow: (source: string) =>
      `No "15 min": its answer may hold words of others (${source}), and then each call asks again. For a tool whose answers only you can write, the operator can set \`trusted\`.`,
    typed: (id: string) => `Or type \`/approve ${id}\`, \`/deny ${id} reason\`.`,
    detailsCut: '… The rest is too long to be shown here.',
    noDetails: 'There is nothing more to show.',
    buttonApprove: '✅ Approve',
    buttonApproveAll: (count: number) => `✅ Approve all ${count}`,
    /** A deed as plain text, if it is short. */
    buttonDeed: (deed: string | undefined) => fitting(deed === undefined ? '' : capital(deed), 'Do it anyway'),
    buttonDeny: '❌ Deny',
    buttonDenyAll: '❌ Deny all',
    buttonExplain: 'Deny, and say why',
    buttonUnfold: 'Show everything',
    headingWhyNot: 'Why not?',
    buttonAlwaysCommand: 'Always this command',
    buttonAlwaysCall: 'Always exactly this',
  },
  zh: {
    question: (what) => `${what}？`,
    row: (what) => what,
    joint: (count) => `要做这 ${count} 件事吗？`,
    danger: (danger) =>
      ({ lost: '无法撤销。', leaks: '可能把这里读到的内容发送出去。', strange: '可能不是你的本意。' })[danger],
    whoAsked: (asker) => chineseAsker(asker),
    asked: ({ said, asker }) => `${chineseAsker(asker)}“${said}”`,
    askedFor: ({ person, conversation }) =>
      `请求者：${person}${conversation === undefined ? '' : `，来自 ${conversation}`}`,
    schedule: ({ name, said, asker }) => `来自计划 ${name}${chineseOf(asker)}：“${said}”`,
    webhook: ({ name, asker }) => `来自 webhook ${name}${chineseOf(asker)}`,
    worker: ({ name, asker }) => `由 ${name} 执行${chineseOf(asker)}`,
    afterReading: ({ sources, more }) =>
      sources.length === 0
        ? '读过可能出自他人的内容'
        : `读过 ${sources.join('、')}${more > 0 ? ` 等 ${sources.length + more} 项` : ''}`,
    causes: (parts) => parts.join(' · '),
    noSandbox: '没有沙箱限制它',
    unreadable: '无法判断它会运行什么，而有些命令被禁止',
    leadsElsewhere: ({ path, note }) => `${path} ${note}`,
    onlyAsIs: ({ files, more }) =>
      `运行 ${files.join('、')}${more > 0 ? ` 等 ${files.length + more} 个文件` : ''}，内容有改动就不会运行`,
    moreRisks: (count) => `另外 ${count} 项在“全部内容”中`,
    moreLines: (count) => `…… 另外 ${count} 行在“全部内容”中`,
    moreText: (count) => `…… 另外 ${count.toLocaleString('en')} 个字符在“全部内容”中`,
    expires: (time) => `${time} 过期`,
    everything: '全部内容',
    callNumber: (number) => `（${number}）`,
    facts: ({ tool, category, reason, asker }) =>
      `工具 ${tool}，类别 ${category}${asker === undefined ? '' : `，请求者 ${asker.person}${asker.conversation === undefined ? '' : `，来自 ${asker.conversation}`}`}。需要批准的原因：${reason}。`,
    boundFile: ({ path, note }) => `${path}（${note}）`,
    bound: ({ files, more }) =>
      `批准仅对这些文件的当前内容有效：${files.join('、')}${more > 0 ? `，以及另外 ${more} 个` : ''}。运行前若有改动，就不会运行。`,
    boundToNothing: ({ isGrantable }) =>
      `批准仅对这条命令有效：Keyturn 无法判断它会运行什么。运行前内容可能改变${isGrantable ? '，因此没有“始终允许”' : ''}。`,
    runsMore: ({ isGrantable }) =>
      `Keyturn 无法判断它还会运行什么。运行前内容可能改变${isGrantable ? '，因此没有“始终允许”' : ''}。`,
    noWindow: (source) =>
      `没有“15 分钟”按钮：返回的内容可能出自他人（${source}），之后每次调用都会重新询问。如果某个工具返回的内容只有你能写，运维人员可以设置 \`trusted\`。`,
    typed: (id) => `也可以输入 \`/approve ${id}\`、\`/deny ${id} 原因\`。`,
    detailsCut: '…… 其余内容太长，无法在这里显示。',
    noDetails: '没有更多内容。',
    buttonApprove: '✅ 批准',
    buttonApproveAll: (count) => `✅ 全部批准（${count} 项）`,
    buttonDeed: (deed) => fitting(deed ?? '', '仍然执行'),
    buttonDeny: '❌ 拒绝',
    buttonDenyAll: '❌ 全部拒绝',
    buttonExplain: '拒绝并说明原因',
    buttonUnfold: '查看全部内容',
    headingWhyNot: '为什么拒绝？',
    buttonAlwaysCommand: '始终允许这条命令',
    buttonAlwaysCall: '始终允许此操作',
  },
});

function englishAsker(asker: Asker | undefined): string {
  if (asker === undefined) return 'You asked: ';
  return `${asker.person} asked${asker.conversation === undefined ? '' : ` in ${asker.conversation}`}: `;
}

function chineseAsker(asker: Asker | undefined): string {
  if (asker === undefined) return '你的要求：';
  return `${asker.person}${asker.conversation === undefined ? ' ' : ` 在 ${asker.conversation} 中`}的要求：`;
}

function englishOf(asker: Asker | undefined): string {
  if (asker === undefined) return '';
  return `, for ${asker.person}${asker.conversation === undefined ? '' : ` in ${asker.conversation}`}`;
}

function chineseOf(asker: Asker | undefined): string {
  if (asker === undefined) return '';
  return `，请求者 ${asker.person}${asker.conversation === undefined ? '' : `，来自 ${asker.conversation}`}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A deed on a button, whole or not at all: half of one may say something else. */
function fitting(deed: string, otherwise: string): string {
  return deed === '' || textWidth(deed) > mostCells ? otherwise : deed;
}

/** What a button holds on a phone, in cells of a terminal. */
const mostCells = 30;
