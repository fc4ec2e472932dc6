import { catalogue } from '../../../lib/words.ts';

/** What the daemon says to the page of people, channels and commands. */
export const peoplePageWords = catalogue({
  en: {
    noLine: 'Say which command: a line of text, of at most 4000 characters.',
    noSuchList: 'There is no such list.',
    noSuchConversation: 'You have not talked in such a conversation.',
    needsConversation: ({ command }: { readonly command: string }) =>
      `/${command} is about a conversation: open one and type it there.`,
  },
  zh: {
    noLine: '请给出命令：一行文字，最多 4000 个字符。',
    noSuchList: '没有这个列表。',
    noSuchConversation: '你没有参与过这样的对话。',
    needsConversation: ({ command }) => `/${command} 针对某个对话：请打开一个对话，在那里输入。`,
  },
});
