import { catalogue } from '../../../lib/words.ts';

/** What the daemon says to the page of tools. */
export const toolsPageWords = catalogue({
  en: {
    noSuchTool: 'There is no such tool there, or no longer.',
    noArguments: 'The arguments have to be an object.',
    tooDeep: ({ most }: { readonly most: number }) =>
      `The arguments are nested more than ${most} levels deep. Write them flatter.`,
    noSession: 'You have as many sessions as one person may have.',
    calledBefore: 'This call was made before: it is among your chats.',
    title: ({ tool }: { readonly tool: string }) => `${tool}, by hand`,
  },
  zh: {
    noSuchTool: '那里没有这个工具，或已经没有了。',
    noArguments: '参数必须是一个对象。',
    tooDeep: ({ most }) => `参数的嵌套超过了 ${most} 层。请减少嵌套。`,
    noSession: '你的会话数量已达到上限。',
    calledBefore: '这次调用之前已经发起过，可在对话列表中查看。',
    title: ({ tool }) => `手动调用 ${tool}`,
  },
});
