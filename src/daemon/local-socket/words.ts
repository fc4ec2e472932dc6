import { ownCommand } from '../../lib/own-command.ts';
import { catalogue } from '../../lib/words.ts';

/** What the daemon says at the local socket: plain text. */
export const localWords = catalogue({
  en: {
    noApproval: ({ id }: { readonly id: string }) =>
      `Nothing with the id "${id}" waits for a decision. "${ownCommand()} approvals" lists what does.`,
    isQuestion: ({ id }: { readonly id: string }) =>
      `"${id}" is a question: it is answered in the chat where it was asked.`,
    chatClosed: 'The chat was closed at this machine.',
    tooManyStreams: 'Too many chats, or logs that are followed, are open at this machine. Close one.',
    wrongChatName: 'The name of a chat has letters, digits, "_", "." and "-", at most 64.',
  },
  zh: {
    noApproval: ({ id }) => `没有编号为“${id}”的待决事项。“${ownCommand()} approvals”列出正在等待的。`,
    isQuestion: ({ id }) => `“${id}”是一个提问：要在提问的聊天里回答。`,
    chatClosed: '这台机器上的聊天已经关闭。',
    tooManyStreams: '这台机器上打开的聊天或跟随的日志太多。关掉一个。',
    wrongChatName: '聊天的名字由字母、数字、“_”、“.”和“-”组成，最多 64 个字符。',
  },
});
