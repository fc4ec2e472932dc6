import { catalogue } from '../../../lib/words.ts';

/** What is said to those whose request cannot be answered. */
export const activityWords = catalogue({
  en: {
    noRun: 'This run is not here, or belongs to somebody else.',
    wrongFilter: ({ name }: { readonly name: string }) => `"${name}" is not one of the values that can be asked for.`,
    noWords: 'Which words are you looking for?',
  },
  zh: {
    noRun: '没有这次运行，或它不属于你。',
    wrongFilter: ({ name }) => `“${name}”的值不可用。`,
    noWords: '请至少输入一个要搜索的词。',
  },
});
