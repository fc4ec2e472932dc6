import { catalogue } from '../../lib/words.ts';

/** Backups of the data: for owners, as markdown. */
export const dataWords = catalogue({
  en: {
    backupFailed: ({ why }: { readonly why: string }) =>
      `⚠️ Today's backup could not be made: ${why} Older backups stay, and I try again every hour.`,
    backupWorks: '✅ The daily backup works again.',
  },
  zh: {
    backupFailed: ({ why }) => `⚠️ 今天的备份没有完成：${why}旧的备份保留，我每小时再试一次。`,
    backupWorks: '✅ 每日备份恢复正常。',
  },
});
