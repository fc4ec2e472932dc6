import { catalogue } from '../../lib/words.ts';

/** What the daemon says at the local socket: plain text. */
export const localWords = catalogue({
  en: {
    noApproval: ({ id }: { readonly id: string }) =>
      `Nothing with the id "${id}" waits for a decision. "keyturn approvals" lists what does.`,
    isQuestion: ({ id }: { readonly id: string }) =>
      `"${id}" is a question: it is answered in the chat where it was asked.`,
  },
  zh: {
    noApproval: ({ id }) => `没有编号为“${id}”的待决事项。“keyturn approvals”列出正在等待的。`,
    isQuestion: ({ id }) => `“${id}”是一个提问：要在提问的聊天里回答。`,
  },
});
