import { catalogue } from '../../lib/words.ts';

/** Backups of the data: for owners, as markdown. */
export const dataWords = catalogue({
  en: {
    backupFailed: ({ why }: { readonly why: string }) =>
      `⚠️ Today's backup could not be made: ${why} Older backups stay, and I try again every hour.`,
    oldStay: ({ folder, why }: { readonly folder: string; readonly why: string }) =>
      `⚠️ Today's backup is made, but old ones in ${folder} could not be removed: ${why}. Mend that, or remove them yourself: they fill the disk.`,
    backupWorks: '✅ The daily backup works again.',
  },
  zh: {
    backupFailed: ({ why }) => `⚠️ 今天的备份没有完成：${why}旧的备份保留，我每小时再试一次。`,
    oldStay: ({ folder, why }) =>
      `⚠️ 今天的备份已完成，但 ${folder} 中的旧备份无法删除：${why}。解决这个问题，或自己删除它们：它们会占满磁盘。`,
    backupWorks: '✅ 每日备份恢复正常。',
  },
});
