import { catalogue } from '../../lib/words.ts';

/** Spoken answers, for people. */
export const speechWords = catalogue({
  en: {
    notSpoken: ({ why }: { readonly why: string }) => `🔇 I could not speak this answer: ${why}.`,
    /** What is said in place of what cannot be spoken. */
    spoken: {
      code: 'A piece of code is in the text.',
      table: 'A table is in the text.',
      link: 'a link',
      rest: 'The rest is in the text.',
    },
  },
  zh: {
    notSpoken: ({ why }) => `🔇 无法朗读这个回答：${why}。`,
    spoken: {
      code: '代码请看文字。',
      table: '表格请看文字。',
      link: '链接',
      rest: '其余内容请看文字。',
    },
  },
});
