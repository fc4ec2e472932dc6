import { catalogue } from '../lib/words.ts';

/** What `config check` says beside faults. */
export const configWords = catalogue({
  en: {
    looksPrivate: ({ key, word }: { readonly key: string; readonly word: string }) =>
      `${key} looks private (${word}), and nothing says whether it is. Write "private": true if its answers are not for others: without it, a page may have them sent to any address that only is read.`,
  },
  zh: {
    looksPrivate: ({ key, word }) =>
      `${key} 看起来涉及隐私（${word}），但没有写明。如果它的结果不该给别人看，写上 "private": true：否则网页内容可能借一次读取，把结果发到任意地址。`,
  },
});
