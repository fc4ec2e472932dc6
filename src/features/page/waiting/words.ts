import { catalogue } from '../../../lib/words.ts';

/** What the waiting room refuses, and why. */
export const waitingWords = catalogue({
  en: {
    wrongDecision: 'This card has no such choice. Reload the page.',
    wrongGrants: 'Name the permissions that should end.',
    gone: 'This waits no longer, or not for you.',
    revoked: ({ count }: { readonly count: number }) =>
      count === 1 ? 'Ended: one permission.' : `Ended: ${count} permissions.`,
  },
  zh: {
    wrongDecision: '这张卡片没有这个选项。请重新加载页面。',
    wrongGrants: '请指明要收回的权限。',
    gone: '这一项已不再等待，或不由你决定。',
    revoked: ({ count }) => `已收回 ${count} 项权限。`,
  },
});
