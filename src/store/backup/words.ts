import { ownCommand } from '../../lib/own-command.ts';
import { catalogue } from '../../lib/words.ts';

interface InFile {
  readonly file: string;
}

interface InFolder {
  readonly folder: string;
}

/** Backups: what is wrong with one, or with the place where it is written. */
export const backupWords = catalogue({
  en: {
    full: ({ folder }: InFolder) =>
      `The disk is full: nothing was written to ${folder}. Make room there, or name a file on another disk.`,
    cannotWrite: ({ folder, reason }: InFolder & { readonly reason: string }) =>
      `Cannot write to ${folder}: ${reason}. Nothing was left there. Name a place where this user may write.`,
    noDatabase: ({ file }: InFile) =>
      `There is no database ${file}, so there is nothing to back up. Is this the right config?`,
    damagedData: ({ file, damage }: InFile & { readonly damage: string }) =>
      `The database ${file} is damaged: ${damage}. Nothing was changed. Stop Keyturn, and restore the newest backup.`,
    isThere: ({ file }: InFile) => `${file} is there already. Name another file, or add --force to replace it.`,
    noFile: ({ file }: InFile) => `There is no file ${file}.`,
    unreadable: ({ file, reason }: InFile & { readonly reason: string }) => `Cannot read ${file}: ${reason}.`,
    cut: ({ file }: InFile) =>
      `${file} is cut off: it was not copied whole, or not written to its end. Nothing was changed. Take another backup.`,
    noBackup: ({ file, reason }: InFile & { readonly reason: string }) =>
      `${file} is no backup of Keyturn, or it is damaged: ${reason}. Nothing was changed. Take another backup.`,
    unsafe: ({ file, reason }: InFile & { readonly reason: string }) =>
      `${file} was not written by Keyturn: ${reason}. Nothing was unpacked. Do not use it.`,
    newerFormat: ({ file, version }: InFile & { readonly version: string }) =>
      `${file} was made by Keyturn ${version}, whose backups this one cannot read. Use Keyturn ${version} or newer.`,
    differs: ({ file, entry }: InFile & { readonly entry: string }) =>
      `${file} is damaged: ${entry} in it is not as it was backed up. Nothing was changed. Take another backup.`,
    lacks: ({ file, entry }: InFile & { readonly entry: string }) =>
      `${file} is damaged: it lacks ${entry}. Nothing was changed. Take another backup.`,
    damagedDatabase: ({ file, damage }: InFile & { readonly damage: string }) =>
      `The database in ${file} is damaged: ${damage}. Nothing was changed. Take another backup.`,
    damagedSource: ({ file, damage }: InFile & { readonly damage: string }) =>
      `The database ${file} is damaged: ${damage}. No backup was made of it, and older ones stay.`,
    restoreOpen: ({ folder }: InFolder) =>
      `A restore of ${folder} was interrupted, so its data are only half in place. Start Keyturn, or run ${ownCommand()} restore again: either finishes it.`,
    moving: ({ folder, reason }: InFolder & { readonly reason: string }) =>
      `The restore is not complete: ${reason}. What is not in its place yet stands in ${folder}. Mend that, and start Keyturn or run the command again: it goes on where it stopped.`,
  },
  zh: {
    full: ({ folder }) => `磁盘已满：没有写入 ${folder}。腾出空间，或指定另一块磁盘上的文件。`,
    cannotWrite: ({ folder, reason }) =>
      `无法写入 ${folder}：${reason}。那里没有留下任何内容。指定当前用户可以写入的位置。`,
    noDatabase: ({ file }) => `没有数据库 ${file}，没有可备份的内容。配置文件对吗？`,
    damagedData: ({ file, damage }) =>
      `数据库 ${file} 已损坏：${damage}。未做任何更改。停止 Keyturn，然后恢复最新的备份。`,
    isThere: ({ file }) => `${file} 已存在。指定另一个文件，或加 --force 替换它。`,
    noFile: ({ file }) => `没有文件 ${file}。`,
    unreadable: ({ file, reason }) => `无法读取 ${file}：${reason}。`,
    cut: ({ file }) => `${file} 不完整：没有复制完，或没有写完。未做任何更改。换一个备份。`,
    noBackup: ({ file, reason }) => `${file} 不是 Keyturn 的备份，或已损坏：${reason}。未做任何更改。换一个备份。`,
    unsafe: ({ file, reason }) => `${file} 不是 Keyturn 写入的：${reason}。没有解开任何内容。不要使用它。`,
    newerFormat: ({ file, version }) =>
      `${file} 由 Keyturn ${version} 制作，当前版本无法读取它的备份。使用 Keyturn ${version} 或更新的版本。`,
    differs: ({ file, entry }) => `${file} 已损坏：其中的 ${entry} 与备份时不同。未做任何更改。换一个备份。`,
    lacks: ({ file, entry }) => `${file} 已损坏：缺少 ${entry}。未做任何更改。换一个备份。`,
    damagedDatabase: ({ file, damage }) => `${file} 中的数据库已损坏：${damage}。未做任何更改。换一个备份。`,
    damagedSource: ({ file, damage }) => `数据库 ${file} 已损坏：${damage}。没有备份它，旧的备份保留。`,
    restoreOpen: ({ folder }) =>
      `${folder} 的恢复被中断，数据只有一部分就位。启动 Keyturn，或再次运行 ${ownCommand()} restore：两者都会完成它。`,
    moving: ({ folder, reason }) =>
      `恢复尚未完成：${reason}。还没就位的内容在 ${folder} 中。解决后启动 Keyturn 或再次运行该命令：它会从中断处继续。`,
  },
});
