import { catalogue } from '../../../lib/words.ts';

/** What the page is refused in conversations. */
export const chatWords = catalogue({
  en: {
    noSuchConversation: 'There is no such conversation.',
    noSuchCall: 'There is no such call.',
    noSuchPicture: 'There is no such picture.',
    badPlace: 'The list does not go on from there. Load the page again.',
    badTitle: 'A title has 1 to 80 characters.',
    notOwn: 'Only a conversation of this page can be given another title.',
  },
  zh: {
    noSuchConversation: '没有这个对话。',
    noSuchCall: '没有这次调用。',
    noSuchPicture: '没有这张图片。',
    badPlace: '列表不能从那里继续。请重新加载页面。',
    badTitle: '标题须为 1 至 80 个字符。',
    notOwn: '只有在本页面中开始的对话才能改标题。',
  },
});
