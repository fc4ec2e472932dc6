import { catalogue } from '../../../lib/words.ts';

/** A path as it was asked for, quoted. */
interface Named {
  readonly path: string;
}

/** Sizes are in words: `2.0 MB`. */
interface Limited {
  readonly size: string;
  readonly most: string;
}

/** Why a file or the folder of the workspace cannot be used: for the model, in English, and for who reads it on a card. */
export const workspaceWords = catalogue({
  en: {
    missing: ({ path }: Named) => `${path} does not exist.`,
    underFile: ({ path }: Named) => `${path} lies under something that is not a directory.`,
    isFolder: ({ path }: Named) => `${path} is a directory.`,
    noAccess: ({ path }: Named) => `${path} may not be accessed: the operating system refuses.`,
    readOnlyDisk: ({ path }: Named) => `${path} cannot be written: the file system is read-only.`,
    diskFull: ({ path }: Named) => `${path} cannot be written: the disk is full.`,
    quotaUsedUp: ({ path }: Named) => `${path} cannot be written: the disk quota is used up.`,
    pathTooLong: ({ path }: Named) => `${path} is too long a path.`,
    becameLink: ({ path }: Named) => `${path} was exchanged for a link while it was opened; try again.`,
    noFile: ({ path }: Named) => `${path} is not a regular file.`,
    workspaceIsLink: 'The workspace folder was exchanged for a link. Tell the operator.',
    underName: ({ path, name }: Named & { readonly name: string }) =>
      `${path} lies under "${name}", which is not a directory.`,
    emptyPath: 'The path is empty. Give a path in the workspace, such as "notes.txt" or ".".',
    nulInPath: 'The path contains a NUL character, which no file name can.',
    outside: ({ path }: Named) =>
      `${path} is outside the workspace. Only files in the workspace can be used: give a path relative to it.`,
    astray: ({ path }: Named) =>
      `${path} is, or lies under, a link that leads outside the workspace or to nothing, so it cannot be used.`,
    changed: 'The path was changed by somebody else while it was opened. Try again.',
    isPrivate: ({ path }: Named) =>
      `${path} belongs to Keyturn itself (its config, its secrets or its data), so no tool can use it.`,
    folderNotFile: ({ path }: Named) => `${path} is a directory, not a file.`,
    hardLink: ({ path, toRead }: Named & { readonly toRead: boolean }) =>
      `${path} has another name elsewhere (a hard link), so it cannot be ${toRead ? 'read. Copy it, and use the copy.' : 'written. Write to a new file.'}`,
    exchanged: ({ path }: Named) => `${path} was exchanged for a link while it was opened. Try again.`,
    device: ({ path }: Named) => `${path} is not a regular file (a device, pipe or socket), so it cannot be used.`,
    tooLargeToRead: ({ path, size, most }: Named & Limited) =>
      `${path} is too large to read: ${size}, at most ${most}.`,
    readOnly: ({ path }: Named) => `${path} is read-only.`,
    tooManyNames: ({ path }: Named) => `There are too many files named like ${path}. Move some of them away.`,
    tooLargeToWrite: ({ size, most }: Limited) => `${size} is too much for one file: at most ${most} can be written.`,
    notAFolder: ({ path }: Named) => `${path} is not a directory. To read a file, use read_file.`,
    folderExchanged: ({ folder, now, before }: Exchanged) =>
      `The workspace ${folder} has been exchanged: it leads to ${now} now, and led to ${before}. Restart Keyturn if that is meant.`,
    folderUnusable: ({ folder, reason }: { readonly folder: string; readonly reason: string }) =>
      `The workspace ${folder} cannot be used: ${reason}. It has to be a folder that this user may write to.`,
  },
  zh: {
    missing: ({ path }) => `${path} 不存在。`,
    underFile: ({ path }) => `${path} 的上级不是文件夹。`,
    isFolder: ({ path }) => `${path} 是文件夹。`,
    noAccess: ({ path }) => `无法访问 ${path}：操作系统拒绝。`,
    readOnlyDisk: ({ path }) => `无法写入 ${path}：文件系统是只读的。`,
    diskFull: ({ path }) => `无法写入 ${path}：磁盘已满。`,
    quotaUsedUp: ({ path }) => `无法写入 ${path}：磁盘配额已用完。`,
    pathTooLong: ({ path }) => `${path} 路径太长。`,
    becameLink: ({ path }) => `${path} 在打开时被换成了链接，再试一次。`,
    noFile: ({ path }) => `${path} 不是普通文件。`,
    workspaceIsLink: '工作区文件夹被换成了链接。告诉运维人员。',
    underName: ({ path, name }) => `${path} 的上级 "${name}" 不是文件夹。`,
    emptyPath: '路径是空的。写一个工作区中的路径，例如 "notes.txt" 或 "."。',
    nulInPath: '路径含有 NUL 字符，文件名不能有它。',
    outside: ({ path }) => `${path} 在工作区之外。只能使用工作区中的文件：写相对于工作区的路径。`,
    astray: ({ path }) => `${path} 是链接，或位于链接之下，而链接指向工作区之外或不存在的地方，所以不能使用。`,
    changed: '打开时路径被别人改动了。再试一次。',
    isPrivate: ({ path }) => `${path} 属于 Keyturn 自身（配置、密钥或数据），任何工具都不能使用。`,
    folderNotFile: ({ path }) => `${path} 是文件夹，不是文件。`,
    hardLink: ({ path, toRead }) =>
      `${path} 在别处还有一个名字（硬链接），所以${toRead ? '不能读取。复制一份，用副本。' : '不能写入。写到新文件。'}`,
    exchanged: ({ path }) => `${path} 在打开时被换成了链接。再试一次。`,
    device: ({ path }) => `${path} 不是普通文件（而是设备、管道或套接字），所以不能使用。`,
    tooLargeToRead: ({ path, size, most }) => `${path} 太大，无法读取：${size}，上限 ${most}。`,
    readOnly: ({ path }) => `${path} 是只读的。`,
    tooManyNames: ({ path }) => `与 ${path} 同名的文件太多。移走一些。`,
    tooLargeToWrite: ({ size, most }) => `${size} 对一个文件来说太大：最多能写 ${most}。`,
    notAFolder: ({ path }) => `${path} 不是文件夹。要读文件，用 read_file。`,
    folderExchanged: ({ folder, now, before }) =>
      `工作区 ${folder} 被换掉了：现在指向 ${now}，之前指向 ${before}。如果这是有意的，重启 Keyturn。`,
    folderUnusable: ({ folder, reason }) => `无法使用工作区 ${folder}：${reason}。它必须是当前用户可以写入的文件夹。`,
  },
});

/** Where a folder leads, which led elsewhere before. */
interface Exchanged {
  readonly folder: string;
  readonly now: string;
  readonly before: string;
}
