import { catalogue } from '../lib/language.ts';

/** What the parts say that all views are made of. */
export const componentWords = catalogue({
  en: {
    close: 'Close',
    cancel: 'Cancel',
    copy: 'Copy',
    copied: 'Copied.',
    notCopied: 'The browser did not allow that: select the text and copy it.',
    again: 'Try again',
    loading: 'Loading…',
    sortBy: ({ column }: { readonly column: string }) => `Sort by ${column}`,
    unreachable: 'Keyturn cannot be reached.',
  },
  zh: {
    close: '关闭',
    cancel: '取消',
    copy: '复制',
    copied: '已复制。',
    notCopied: '浏览器不允许这样做：请选中文字再复制。',
    again: '重试',
    loading: '加载中…',
    sortBy: ({ column }) => `按“${column}”排序`,
    unreachable: '连不上 Keyturn。',
  },
});
