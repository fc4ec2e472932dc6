import { catalogue } from '../../lib/words.ts';

/** What people read on the card that shows what tools do. A card keeps the language that it was first shown in. */
export const liveWords = catalogue({
  en: {
    notExecuted: 'not executed',
    moreCalls: ({ count }: { readonly count: number }) => `… ${count} more`,
  },
  zh: {
    notExecuted: '未执行',
    moreCalls: ({ count }) => `……还有 ${count} 个`,
  },
});
