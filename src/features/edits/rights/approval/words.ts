import type { AgentMode } from '../../../../approval/verdict.ts';
import { catalogue } from '../../../../lib/words.ts';

/** What an edit changes of what asks. Names are given in markdown. */
export const askingWords = catalogue({
  en: {
    mode: ({ mode }: { readonly mode: AgentMode }) =>
      ({
        observer: 'I now only read',
        assistant: 'the approval policy now decides what asks',
        autonomous: 'I now ask only where I must',
      })[mode],
    agentMode: ({ agent, mode }: { readonly agent: string; readonly mode: AgentMode }) =>
      ({
        observer: `the agent ${agent} now only reads`,
        assistant: `for the agent ${agent}, the approval policy now decides what asks`,
        autonomous: `the agent ${agent} may now do what I may`,
      })[mode],
    taint: ({ taint }: { readonly taint: 'deny' | 'ask' | 'off' }) =>
      ({
        deny: 'after untrusted content, what could harm or leak is now refused',
        ask: 'after untrusted content, what could harm or leak now asks',
        off: 'untrusted content no longer has anything ask',
      })[taint],
    nothingAsks: 'nothing asks any more',
    asks: (of: Subjects & { readonly isSo: boolean }) =>
      `${enList(of)} ${of.isSo ? 'now' : 'no longer'} ${isOne(of) ? 'asks' : 'ask'}`,
    mayBeAskedFor: (of: Subjects) => `${enList(of)} may now be asked for`,
    refused: (of: Subjects) => `${enList(of)} ${isOne(of) ? 'is' : 'are'} now refused`,
    toolAsks: ({ tool, isSo }: { readonly tool: string; readonly isSo: boolean }) =>
      `${tool} ${isSo ? 'now asks' : 'no longer asks'}`,
  },
  zh: {
    mode: ({ mode }) =>
      ({
        observer: '我现在只读取',
        assistant: '现在由批准策略决定哪些操作需要询问',
        autonomous: '我现在只在必须时询问',
      })[mode],
    agentMode: ({ agent, mode }) =>
      ({
        observer: `智能体 ${agent} 现在只读取`,
        assistant: `对智能体 ${agent}，现在由批准策略决定哪些操作需要询问`,
        autonomous: `智能体 ${agent} 现在可以做我能做的一切`,
      })[mode],
    taint: ({ taint }) =>
      ({
        deny: '读到不可信内容后，可能造成损害或泄露的操作现在会被拒绝',
        ask: '读到不可信内容后，可能造成损害或泄露的操作现在需要询问',
        off: '不可信内容不再引起询问',
      })[taint],
    nothingAsks: '不再询问任何操作',
    asks: (of) => `${zhList(of)}${of.isSo ? '现在' : '不再'}需要询问`,
    mayBeAskedFor: (of) => `${zhList(of)}现在可以请求批准`,
    refused: (of) => `${zhList(of)}现在会被拒绝`,
    toolAsks: ({ tool, isSo }) => `${tool} ${isSo ? '现在' : '不再'}需要询问`,
  },
});

/** `tool`, `category`: as markdown. */
export type Subject =
  | { readonly type: 'every-tool' }
  | { readonly type: 'tool'; readonly tool: string }
  | { readonly type: 'category'; readonly category: string };

export interface Subjects {
  /** The first of them. */
  readonly subjects: readonly Subject[];
  readonly more: number;
}

function isOne({ subjects, more }: Subjects): boolean {
  return subjects.length + more === 1;
}

function enList({ subjects, more }: Subjects): string {
  const all = [...subjects.map(enSubject), ...(more > 0 ? [`${more} more`] : [])];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function enSubject(subject: Subject): string {
  switch (subject.type) {
    case 'every-tool':
      return 'every tool';
    case 'tool':
      return subject.tool;
    case 'category':
      return `what is ${subject.category}`;
  }
}

/** With the space that follows a name. */
function zhList({ subjects, more }: Subjects): string {
  const list = subjects.map(zhSubject).join('、');
  if (more > 0) return `${list}，以及另外 ${more} 项`;
  return subjects.at(-1)?.type === 'every-tool' ? list : `${list} `;
}

function zhSubject(subject: Subject): string {
  switch (subject.type) {
    case 'every-tool':
      return '所有工具';
    case 'tool':
      return subject.tool;
    case 'category':
      return `类别 ${subject.category}`;
  }
}
