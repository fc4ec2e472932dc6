import { catalogue } from '../../lib/words.ts';

/**
 * What people read on the card that shows what tools do, and why an answer could not be shown. A card keeps the language that
 * it was first shown in.
 */
export const liveWords = catalogue({
  en: {
    notExecuted: 'not executed',
    takesNoChanges: 'The chat still takes no changes.',
    moreCalls: ({ count }: { readonly count: number }) => `… ${count} more`,
  },
  zh: {
    notExecuted: '未执行',
    takesNoChanges: '这个聊天暂时不接受修改。',
    moreCalls: ({ count }) => `……还有 ${count} 个`,
  },
});
