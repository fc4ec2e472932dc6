import { basename } from 'node:path';
import { ownCommand } from '../lib/own-command.ts';
import { catalogue } from '../lib/words.ts';

interface DatabaseFile {
  readonly file: string;
}

/** A file that may have to be replaced by a backup. `backup`: Keyturn's own newest one. */
interface Restorable extends DatabaseFile {
  readonly backup: string | undefined;
}

interface Newer {
  readonly file: string;
  readonly step: number;
  readonly own: string;
  readonly known: number;
}

/** Why a start refuses the data, and what is left of a feature in them: for operators. Where we write, nothing was changed. */
export const storeWords = catalogue({
  en: {
    left: ({ feature }: { readonly feature: string }) =>
      `The database has tables of the feature "${feature}", which is not part of this Keyturn. They stay as they are, and are used again when it is.`,
    noneToRead: ({ file }: DatabaseFile) =>
      `There is no database ${file} yet: Keyturn has not run with this config. Name another one with --config FILE.`,
    unended: ({ file }: DatabaseFile) =>
      `The database ${file} is being made or put back, or that was interrupted. Start Keyturn, which ends it, and run the command again.`,
    otherSchema: ({ file }: DatabaseFile) =>
      `The database ${file} is of another version of Keyturn than this command. Start this version once, or use the command of that one.`,
    locked: ({ process, folder }: { readonly process: string | undefined; readonly folder: string }) =>
      `Another Keyturn (process ${process ?? 'unknown'}) works with ${folder}. Stop it first, or give this one its own data_dir.`,
    opened: ({ file }: DatabaseFile) =>
      `Another program has ${file} open and does not let go of it: perhaps \`${ownCommand()} backup\`, \`${ownCommand()} verify\`, an sqlite3, or another Keyturn whose keyturn.lock was removed. End it and start again, or give this Keyturn its own data_dir.`,
    waitsForReader: ({ file }: DatabaseFile) =>
      `Another program has ${file} open, perhaps \`${ownCommand()} backup\` or \`${ownCommand()} verify\`. Keyturn starts as soon as it has ended, and waits for about a minute.`,
    unusableFolder: ({ folder, reason }: { readonly folder: string; readonly reason: string }) =>
      `data_dir ${folder} cannot be used: ${reason}. It has to be a folder that this user may write to. Set data_dir in the config, or KEYTURN_HOME, to one.`,
    folderThere: ({ file }: DatabaseFile) =>
      `${file} is a folder, and Keyturn keeps its database in files there. Nothing was changed. Move it to another place, and put back what belongs there. Docker makes a folder where a file is mounted that does not exist: mount the whole data_dir instead.`,
    noFileThere: ({ file }: DatabaseFile) =>
      `${file} is no file, but a device, a pipe or a socket, and Keyturn keeps its database in files there. Nothing was changed. Move it to another place, and put back what belongs there.`,
    gone: ({ file, backup, isEmpty, message }: Restorable & { readonly isEmpty: boolean; readonly message: number }) =>
      `The database ${file} ${isEmpty ? 'is empty' : 'is gone'}; the newest message in it was number ${message}. Nothing was made in its place. Put it back, with ${basename(file)}-wal if there is one. ${restoring.en({ file, backup })} To start with an empty one, remove ${basename(file)}.numbers.`,
    goneBeside: ({
      file,
      backup,
      isEmpty,
      left,
    }: Restorable & { readonly isEmpty: boolean; readonly left: readonly string[] }) =>
      `The database ${file} ${isEmpty ? 'is empty' : 'is gone'}, though ${left.join(' and ')} beside it belonged to one. Nothing was made in its place. Put it back. ${restoring.en({ file, backup })} To start with an empty one, move ${left.join(' and ')} to another folder.`,
    older: ({ file }: DatabaseFile) =>
      `The database ${file} is older than ${basename(file)}-wal beside it: an older copy was put in its place. Read together they would be damaged, so that nothing was changed. To go on with the older one, remove ${basename(file)}-wal, ${basename(file)}-shm and ${basename(file)}.numbers, and start again. To go on with the newer one, put it back.`,
    exchanged: ({ file, message }: DatabaseFile & { readonly message: number }) =>
      `The database ${file} is not the one that this folder had, with messages up to number ${message}: another one was put in its place. Nothing was changed. Put the right one back; or, if this is the right one, remove ${basename(file)}.numbers and start again.`,
    lacksSchema: ({ file, message }: DatabaseFile & { readonly message: number }) =>
      lacks.en(file, `it is of an older schema, and message number ${message}`),
    lacksMessages: ({ file, found, message }: DatabaseFile & { readonly found: number; readonly message: number }) =>
      lacks.en(file, `its newest message is number ${found}, and number ${message}`),
    lacksAudit: ({ file, found, deed }: DatabaseFile & { readonly found: number; readonly deed: number }) =>
      lacks.en(file, `its audit ends with entry ${found}, and entry ${deed}`),
    damaged: ({ file, backup, damage }: Restorable & { readonly damage: string }) =>
      `The database ${file} is damaged: ${damage}. ${restoring.en({ file, backup })}`,
    damagedWithoutLog: ({ file, backup, damage }: Restorable & { readonly damage: string }) =>
      `The database ${file} is damaged: ${damage}. The last process has not closed it, and ${basename(file)}-wal beside it is gone or empty: it is whole again with that. Put ${basename(file)}-wal back. ${restoring.en({ file, backup })}`,
    ofAnotherProgram: ({ file }: DatabaseFile) =>
      `The database ${file} belongs to another program. Nothing in it was changed. Set data_dir to a folder of Keyturn's own.`,
    otherTables: ({ file, reason }: DatabaseFile & { readonly reason: string | undefined }) =>
      `The database ${file} cannot be used${reason === undefined ? '' : `: ${reason}`}. It is not damaged: its tables are those of a Keyturn from before its schema was numbered, or of another program. Nothing in it was changed. Start the program that wrote it, or set data_dir to another folder.`,
    diskRefuses: ({ file, reason }: DatabaseFile & { readonly reason: string }) =>
      `The database ${file} cannot be used: ${reason}. Is the disk full, or may this user not write there?`,
    unusable: ({ file, backup, reason }: Restorable & { readonly reason: string }) =>
      `The database ${file} cannot be used: ${reason}. Nothing in it was changed. ${restoring.en({ file, backup })} To start without it, set data_dir to another folder.`,
    newer: ({ version, ...newer }: Newer & { readonly version: string }) =>
      `The database ${newer.file} was written by Keyturn ${version}: ${newerSchema.en(newer)} Start Keyturn ${version} or newer, or ${beside.en}`,
    newerThan: ({ version, ...newer }: Newer & { readonly version: string }) =>
      `The database ${newer.file} was written by a Keyturn newer than ${version}: ${newerSchema.en(newer)} Start that one, or ${beside.en}`,
    newerUnknown: (newer: Newer) =>
      `The database ${newer.file} was written by a newer Keyturn, or by another program: ${newerSchema.en(newer)} Start the program that wrote it, or ${beside.en}`,
    newerFeature: ({
      file,
      version,
      feature,
      step,
      own,
      known,
    }: Newer & { readonly version: string; readonly feature: string }) =>
      `The database ${file} was written by Keyturn ${version}: the tables of its feature ${feature} are number ${step}, and Keyturn ${own} knows ${known}. Your data are intact, and nothing was changed. Start Keyturn ${version} or newer, or ${beside.en}`,
  },
  zh: {
    left: ({ feature }) =>
      `数据库里有功能“${feature}”的数据表，但这个 Keyturn 不含该功能。数据原样保留，功能装回后继续使用。`,
    noneToRead: ({ file }) => `还没有数据库 ${file}：Keyturn 没有用这个配置运行过。用 --config FILE 指定另一个配置。`,
    unended: ({ file }) =>
      `数据库 ${file} 正在创建或恢复，或者这一过程被中断了。启动 Keyturn 来完成它，然后再运行这个命令。`,
    otherSchema: ({ file }) =>
      `数据库 ${file} 和这个命令不是同一个 Keyturn 版本。用这个版本启动一次，或用那个版本的命令。`,
    locked: ({ process, folder }) =>
      `另一个 Keyturn（进程 ${process ?? '未知'}）正在使用 ${folder}。先停止它，或给这个 Keyturn 设置自己的 data_dir。`,
    opened: ({ file }) =>
      `另一个程序打开了 ${file}，一直没有释放：可能是 \`${ownCommand()} backup\`、\`${ownCommand()} verify\`、sqlite3，或 keyturn.lock 被删除的另一个 Keyturn。结束它后再启动，或给这个 Keyturn 设置自己的 data_dir。`,
    waitsForReader: ({ file }) =>
      `另一个程序打开了 ${file}，可能是 \`${ownCommand()} backup\` 或 \`${ownCommand()} verify\`。它结束后 Keyturn 会立即启动，最多等待约一分钟。`,
    unusableFolder: ({ folder, reason }) =>
      `data_dir ${folder} 无法使用：${reason}。它必须是当前用户可以写入的文件夹。在配置里设置 data_dir，或设置 KEYTURN_HOME。`,
    folderThere: ({ file }) =>
      `${file} 是文件夹，而 Keyturn 的数据库文件应在这里。未做任何更改。把它移到别处，再放回原来的文件。挂载不存在的文件时，Docker 会建一个文件夹：改为挂载整个 data_dir。`,
    noFileThere: ({ file }) =>
      `${file} 不是文件，而是设备、管道或套接字，而 Keyturn 的数据库文件应在这里。未做任何更改。把它移到别处，再放回原来的文件。`,
    gone: ({ file, backup, isEmpty, message }) =>
      `数据库 ${file} ${isEmpty ? '是空的' : '不见了'}；其中最新的消息是第 ${message} 条。没有新建数据库。把它放回去，如有 ${basename(file)}-wal 也一并放回。${restoring.zh({ file, backup })}要从空数据库开始，删除 ${basename(file)}.numbers。`,
    goneBeside: ({ file, backup, isEmpty, left }) =>
      `数据库 ${file} ${isEmpty ? '是空的' : '不见了'}，但旁边的 ${left.join('、')} 属于一个数据库。没有新建数据库。把它放回去。${restoring.zh({ file, backup })}要从空数据库开始，把 ${left.join('、')} 移到别的文件夹。`,
    older: ({ file }) =>
      `数据库 ${file} 比旁边的 ${basename(file)}-wal 旧：这里放的是较旧的副本。两者一起读取会损坏数据，所以未做任何更改。要用较旧的副本继续，删除 ${basename(file)}-wal、${basename(file)}-shm 和 ${basename(file)}.numbers，再重新启动。要用较新的数据库继续，把它放回去。`,
    exchanged: ({ file, message }) =>
      `数据库 ${file} 不是这个文件夹原来的那个（消息到第 ${message} 条）：这里放的是另一个数据库。未做任何更改。把正确的放回去；如果这个就是正确的，删除 ${basename(file)}.numbers 再重新启动。`,
    lacksSchema: ({ file, message }) => lacks.zh(file, `它的 schema 较旧，而第 ${message} 条消息已存储过`),
    lacksMessages: ({ file, found, message }) =>
      lacks.zh(file, `最新的消息是第 ${found} 条，而第 ${message} 条已存储过`),
    lacksAudit: ({ file, found, deed }) => lacks.zh(file, `审计记录到第 ${found} 条为止，而第 ${deed} 条已存储过`),
    damaged: ({ file, backup, damage }) => `数据库 ${file} 已损坏：${damage}。${restoring.zh({ file, backup })}`,
    damagedWithoutLog: ({ file, backup, damage }) =>
      `数据库 ${file} 已损坏：${damage}。上一个进程没有关闭它，而旁边的 ${basename(file)}-wal 不见了或是空的：有了它，数据库就是完整的。把 ${basename(file)}-wal 放回去。${restoring.zh({ file, backup })}`,
    ofAnotherProgram: ({ file }) =>
      `数据库 ${file} 属于另一个程序。未对它做任何更改。把 data_dir 设为 Keyturn 专用的文件夹。`,
    otherTables: ({ file, reason }) =>
      `数据库 ${file} 无法使用${reason === undefined ? '' : `：${reason}`}。它没有损坏：里面的数据表来自 schema 编号之前的 Keyturn，或另一个程序。未对它做任何更改。启动写入它的程序，或把 data_dir 设为别的文件夹。`,
    diskRefuses: ({ file, reason }) => `数据库 ${file} 无法使用：${reason}。磁盘是否已满，或当前用户是否无权写入？`,
    unusable: ({ file, backup, reason }) =>
      `数据库 ${file} 无法使用：${reason}。未对它做任何更改。${restoring.zh({ file, backup })}要不用它启动，把 data_dir 设为别的文件夹。`,
    newer: ({ version, ...newer }) =>
      `数据库 ${newer.file} 由 Keyturn ${version} 写入：${newerSchema.zh(newer)}启动 Keyturn ${version} 或更新的版本，${beside.zh}`,
    newerThan: ({ version, ...newer }) =>
      `数据库 ${newer.file} 由比 ${version} 更新的 Keyturn 写入：${newerSchema.zh(newer)}启动那个版本，${beside.zh}`,
    newerUnknown: (newer) =>
      `数据库 ${newer.file} 由更新的 Keyturn 或另一个程序写入：${newerSchema.zh(newer)}启动写入它的程序，${beside.zh}`,
    newerFeature: ({ file, version, feature, step, own, known }) =>
      `数据库 ${file} 由 Keyturn ${version} 写入：其中功能 ${feature} 的数据表编号为 ${step}，而 Keyturn ${own} 只认识到 ${known}。你的数据完好，未做任何更改。启动 Keyturn ${version} 或更新的版本，${beside.zh}`,
  },
});

/** How to restore a backup. */
const restoring = {
  en: ({ file, backup }: Restorable) =>
    `To restore a backup, copy the folder first, then put your latest backup${backup === undefined ? '' : `, or ${backup},`} in the place of ${basename(file)}, and remove ${basename(file)}-wal, ${basename(file)}-shm and ${basename(file)}.numbers.`,
  zh: ({ file, backup }: Restorable) =>
    `要恢复备份，先复制整个文件夹，再把你最新的备份${backup === undefined ? '' : `（或 ${backup}）`}放到 ${basename(file)} 的位置，并删除 ${basename(file)}-wal、${basename(file)}-shm 和 ${basename(file)}.numbers。`,
};

const lacks = {
  en: (file: string, what: string) =>
    `The database ${file} lacks what was in it last: ${what} had been stored. Either ${basename(file)}-wal was removed or damaged, or an older copy was put in place. Nothing was changed. If you have what is missing, put all of it back. If you have restored this one, or nothing newer is left, remove ${basename(file)}.numbers and start again: Keyturn goes on from there.`,
  zh: (file: string, what: string) =>
    `数据库 ${file} 缺少最后存入的内容：${what}。要么 ${basename(file)}-wal 被删除或损坏，要么这里放的是较旧的副本。未做任何更改。如果你有缺少的部分，全部放回去。如果这个是你恢复的，或没有更新的了，删除 ${basename(file)}.numbers 再重新启动：Keyturn 会从那里继续。`,
};

const newerSchema = {
  en: ({ step, own, known }: Omit<Newer, 'file'>) =>
    `its schema is number ${step}, and Keyturn ${own} knows ${known}. Your data are intact, and nothing was changed.`,
  zh: ({ step, own, known }: Omit<Newer, 'file'>) =>
    `它的 schema 编号为 ${step}，而 Keyturn ${own} 只认识到 ${known}。你的数据完好，未做任何更改。`,
};

const beside = {
  en: 'set data_dir to another folder to try this one beside it.',
  zh: '或把 data_dir 设为别的文件夹，另外试用这个版本。',
};

/** What is wrong with the storage. */
export type StorageCause = 'locked' | 'full' | 'fullOrFailing' | 'failing' | 'readOnly' | 'gone' | 'damaged';

/** What happened to the files of an open database. */
export type Loss = 'moved' | 'replaced' | 'cut' | 'logMoved' | 'logCut';

interface Lost {
  readonly file: string;
  readonly loss: Loss;
}

/** Why nothing can be stored while Keyturn runs: for owners, and those whose words are not stored. */
export const storageWords = catalogue({
  en: {
    brief: (cause: StorageCause) => briefs.en[cause],
    cannotStore: ({ cause, reason }: { readonly cause: StorageCause; readonly reason: string }) =>
      `I cannot store anything: ${briefs.en[cause]}${cause === 'full' ? '' : ` (${reason})`}. What you write meanwhile is not lost: it stays with the platform, and I take it up when I can store it.`,
    cannotStoreLocked: `I cannot store anything: another program has locked the database. What you write meanwhile is not lost: it stays with the platform, and I take it up when I can store it. If that is a backup tool or an sqlite3 that hangs, end it.`,
    rescued: ({ file, loss }: Lost) =>
      `${lossesEn(file)[loss]} I store nothing any more until I am started again; what you write stays with the platform. All that was in it is saved as ${basename(file)}.rescued. Stop me, put that in the place of ${basename(file)}, remove ${basename(file)}-wal and ${basename(file)}-shm, and start me again.`,
    notRescued: ({ file, loss, why, hasOlder }: Lost & { readonly why: string; readonly hasOlder: boolean }) =>
      `${lossesEn(file)[loss]} I store nothing any more until I am started again; what you write stays with the platform. What was in it could not be saved beside it: ${why}.${hasOlder ? ` ${basename(file)}.rescued there is from an earlier day.` : ''} Stop me, put it back with ${basename(file)}-wal if you have them, and start me again: the start says what is missing.`,
    copyDamaged: ({ found }: { readonly found: string }) => `it is damaged (${found})`,
    copyLacks: ({ message }: { readonly message: number }) => `message number ${message} cannot be read`,
    damaged: ({ file, backup, damage }: Restorable & { readonly damage: string }) =>
      `The database ${file} is damaged: ${damage}. ${restoring.en({ file, backup })} Until then I store nothing; what you write stays with the platform.`,
    refusedCopy:
      'The disk has refused what was copied into the database. I store nothing any more until I am started again; what you write stays with the platform. Nothing that was stored is lost: it stands in the write-ahead log, and the next start copies it again. Look at the disk before that.',
    lost: 'the database is lost',
  },
  zh: {
    brief: (cause) => briefs.zh[cause],
    cannotStore: ({ cause, reason }) =>
      `无法存储任何内容：${briefs.zh[cause]}${cause === 'full' ? '' : `（${reason}）`}。你这段时间写的内容不会丢失：它留在平台上，能存储时我再处理。`,
    cannotStoreLocked:
      '无法存储任何内容：另一个程序锁住了数据库。你这段时间写的内容不会丢失：它留在平台上，能存储时我再处理。如果是卡住的备份工具或 sqlite3，结束它。',
    rescued: ({ file, loss }) =>
      `${lossesZh(file)[loss]}重新启动之前，我不再存储任何内容；你写的内容留在平台上。其中的全部内容已保存为 ${basename(file)}.rescued。停止我，把它放到 ${basename(file)} 的位置，删除 ${basename(file)}-wal 和 ${basename(file)}-shm，再重新启动我。`,
    notRescued: ({ file, loss, why, hasOlder }) =>
      `${lossesZh(file)[loss]}重新启动之前，我不再存储任何内容；你写的内容留在平台上。其中的内容无法保存到旁边：${why}。${hasOlder ? `那里的 ${basename(file)}.rescued 是以前留下的。` : ''}停止我，如果有数据库和 ${basename(file)}-wal 就放回去，再重新启动我：启动时会说明缺少什么。`,
    copyDamaged: ({ found }) => `它已损坏（${found}）`,
    copyLacks: ({ message }) => `第 ${message} 条消息无法读取`,
    damaged: ({ file, backup, damage }) =>
      `数据库 ${file} 已损坏：${damage}。${restoring.zh({ file, backup })}在那之前我不存储任何内容；你写的内容留在平台上。`,
    refusedCopy:
      '磁盘拒绝了写入数据库的内容。重新启动之前，我不再存储任何内容；你写的内容留在平台上。已存储的内容没有丢失：它在预写日志里，下次启动会再写入一次。启动之前先检查磁盘。',
    lost: '数据库已丢失',
  },
});

const briefs: Readonly<Record<'en' | 'zh', Readonly<Record<StorageCause, string>>>> = {
  en: {
    locked: 'another program has locked the database',
    full: 'the disk is full',
    fullOrFailing: 'the disk is full, or fails',
    failing: 'the disk fails',
    readOnly: 'the database may not be written',
    gone: 'the database is gone',
    damaged: 'the database is damaged',
  },
  zh: {
    locked: '另一个程序锁住了数据库',
    full: '磁盘已满',
    fullOrFailing: '磁盘已满或出错',
    failing: '磁盘出错',
    readOnly: '数据库不允许写入',
    gone: '数据库不见了',
    damaged: '数据库已损坏',
  },
};

const lossesEn = (file: string): Readonly<Record<Loss, string>> => ({
  moved: `The database ${file} was moved or deleted while I work with it.`,
  replaced: `The database ${file} was replaced by another file while I work with it.`,
  cut: `The database ${file} was cut off while I work with it.`,
  logMoved: `The write-ahead log ${file}-wal was moved or deleted while I work with it.`,
  logCut: `The write-ahead log ${file}-wal was cut off or overwritten while I work with it.`,
});

const lossesZh = (file: string): Readonly<Record<Loss, string>> => ({
  moved: `数据库 ${file} 在我使用时被移走或删除。`,
  replaced: `数据库 ${file} 在我使用时被另一个文件替换。`,
  cut: `数据库 ${file} 在我使用时被截断。`,
  logMoved: `预写日志 ${file}-wal 在我使用时被移走或删除。`,
  logCut: `预写日志 ${file}-wal 在我使用时被截断或覆盖。`,
});
