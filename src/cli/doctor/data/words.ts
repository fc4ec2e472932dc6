import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

/** What `keyturn doctor` says of the data and its folders. */
export const dataWords = catalogue({
  en: {
    sound: 'whole, as far as one sees from outside',
    writable: 'the data folder and the workspace may be written',
    otherOwner: {
      what: ({ folder, owner, user }: OwnedFolder) =>
        `${folder} belongs to the user ${owner}, and this command runs as ${user}.`,
      why: () => 'What one of them makes there, the other may not change: then nothing can be stored.',
      mend: ({ folder, owner }: OwnedFolder) =>
        `Run Keyturn and its commands as the same user: sudo -u '#${owner}' ${ownCommand()} doctor; or chown -R USER ${folder}.`,
    },
    notWritable: {
      what: ({ folder, code }: RefusedFolder) => `This user may not write to ${folder} (${code}).`,
      why: () => 'Nothing can be stored there, so Keyturn does not start.',
      mend: ({ folder }: RefusedFolder) =>
        `chown -R $USER ${folder}; under systemd, name it in ReadWritePaths; or choose another folder in the config.`,
    },
    readOnly: {
      what: ({ folder }: RefusedFolder) => `The disk of ${folder} can only be read.`,
      why: () => 'Nothing can be stored there. A disk with errors becomes like that by itself.',
      mend: () => 'dmesg tells why; then mount -o remount,rw. In a container, mount the folder without :ro.',
    },
    remoteDisk: {
      what: ({ folder, kind }: RemoteFolder) => `${folder} is on another machine (${kind}).`,
      why: () => 'Locks of files do not hold well there: two processes may write at once, and damage the database.',
      mend: () => 'Name a folder of this machine in data_dir, and put the backups there instead.',
    },
    noFilesLeft: {
      what: ({ folder, left }: FewFiles) => `The disk of ${folder} takes only ${left} more files.`,
      why: () => 'It has room, but no new file can be made, so nothing is stored.',
      mend: () => 'df -i shows it; remove folders with very many small files.',
    },
    gone: {
      what: ({ file, left }: GoneDatabase) => `${file} is gone, and beside it is left: ${left.join(', ')}.`,
      why: () => 'Keyturn refuses to start with an empty database where there was one.',
      mend: () => `${ownCommand()} restore FILE with your newest backup; to start over, remove what is left.`,
    },
    empty: {
      what: ({ file }: { readonly file: string }) => `${file} is empty.`,
      why: () => 'All that was in it is gone: a full disk or a copy that broke off leaves such a file.',
      mend: () => `${ownCommand()} restore FILE with your newest backup; to start over, remove it.`,
    },
    noDatabase: {
      what: ({ file }: { readonly file: string }) => `${file} is no SQLite database.`,
      why: () => 'Keyturn cannot read it, so it does not start.',
      mend: () => `${ownCommand()} restore FILE with your newest backup. Keep the damaged file until that works.`,
    },
    newer: {
      what: ({ file, schema, known }: NewerDatabase) =>
        `${file} is of a newer Keyturn: its schema is ${schema}, and this program knows ${known}.`,
      why: () => 'An older program would lose what it does not know, so it does not start.',
      mend: () =>
        `Install the newer version again; or ${ownCommand()} restore FILE with a backup from before the update.`,
    },
    cut: {
      what: ({ file, size, bytes }: CutDatabase) => `${file} has ${size} bytes, and should have ${bytes}.`,
      why: () => 'Its end is missing: a part of what was said and stored cannot be read.',
      mend: () => `${ownCommand()} restore FILE with your newest backup. Keep the damaged file until that works.`,
    },
    backupOld: {
      what: ({ days, isNone }: OldBackup) =>
        isNone ? `There is no backup, and the data is ${days} days old.` : `The newest backup is ${days} days old.`,
      why: () => 'If the disk fails, what came after it is gone. One should be made each day.',
      mend: ({ folder }: OldBackup) => `${ownCommand()} backup; the log says why none was made in ${folder}.`,
    },
  },
  zh: {
    sound: '从外部看是完整的',
    writable: '数据文件夹和工作区可以写入',
    otherOwner: {
      what: ({ folder, owner, user }) => `${folder} 属于用户 ${owner}，而这个命令以 ${user} 运行。`,
      why: () => '一方在那里创建的内容，另一方可能改不了：于是什么都存不下。',
      mend: ({ folder, owner }) =>
        `用同一个用户运行 Keyturn 和它的命令：sudo -u '#${owner}' ${ownCommand()} doctor；或 chown -R USER ${folder}。`,
    },
    notWritable: {
      what: ({ folder, code }) => `当前用户不能写入 ${folder}（${code}）。`,
      why: () => '那里什么都存不下，Keyturn 无法启动。',
      mend: ({ folder }) =>
        `chown -R $USER ${folder}；用 systemd 时，在 ReadWritePaths 中写上它；或在配置中换一个文件夹。`,
    },
    readOnly: {
      what: ({ folder }) => `${folder} 所在磁盘只能读取。`,
      why: () => '那里什么都存不下。磁盘出错时会自己变成这样。',
      mend: () => 'dmesg 会说明原因；然后 mount -o remount,rw。在容器中，挂载这个文件夹时不要加 :ro。',
    },
    remoteDisk: {
      what: ({ folder, kind }) => `${folder} 在另一台机器上（${kind}）。`,
      why: () => '文件锁在那里不可靠：两个进程可能同时写入，损坏数据库。',
      mend: () => '在 data_dir 中写这台机器上的文件夹，把备份放到那里。',
    },
    noFilesLeft: {
      what: ({ folder, left }) => `${folder} 所在磁盘只能再建 ${left} 个文件。`,
      why: () => '还有空间，但建不了新文件，什么都存不下。',
      mend: () => 'df -i 可以看到；删除小文件特别多的文件夹。',
    },
    gone: {
      what: ({ file, left }) => `${file} 不见了，旁边还留着：${left.join('、')}。`,
      why: () => '原来有数据库的地方，Keyturn 拒绝用空数据库启动。',
      mend: () => `用最新的备份运行 ${ownCommand()} restore FILE；要重新开始，就删除留下的内容。`,
    },
    empty: {
      what: ({ file }) => `${file} 是空的。`,
      why: () => '里面的内容都没有了：磁盘写满或复制中断会留下这样的文件。',
      mend: () => `用最新的备份运行 ${ownCommand()} restore FILE；要重新开始，就删除它。`,
    },
    noDatabase: {
      what: ({ file }) => `${file} 不是 SQLite 数据库。`,
      why: () => 'Keyturn 读不了它，无法启动。',
      mend: () => `用最新的备份运行 ${ownCommand()} restore FILE。恢复成功之前保留损坏的文件。`,
    },
    newer: {
      what: ({ file, schema, known }) =>
        `${file} 来自更新的 Keyturn：它的结构版本是 ${schema}，这个程序只认识到 ${known}。`,
      why: () => '旧程序会丢掉它不认识的内容，所以不启动。',
      mend: () => `重新安装新版本；或用更新之前的备份运行 ${ownCommand()} restore FILE。`,
    },
    cut: {
      what: ({ file, size, bytes }) => `${file} 有 ${size} 字节，应该有 ${bytes} 字节。`,
      why: () => '末尾缺失：一部分说过和存下的内容读不出来。',
      mend: () => `用最新的备份运行 ${ownCommand()} restore FILE。恢复成功之前保留损坏的文件。`,
    },
    backupOld: {
      what: ({ days, isNone }) => (isNone ? `没有备份，而数据已有 ${days} 天。` : `最新的备份是 ${days} 天前的。`),
      why: () => '磁盘坏了，之后的内容就没有了。每天都应该有一个备份。',
      mend: ({ folder }) => `${ownCommand()} backup；日志里写着为什么 ${folder} 里没有新的备份。`,
    },
  },
});

interface OwnedFolder {
  readonly folder: string;
  readonly owner: number;
  readonly user: number;
}

interface RefusedFolder {
  readonly folder: string;
  readonly code: string;
}

interface RemoteFolder {
  readonly folder: string;
  readonly kind: string;
}

interface FewFiles {
  readonly folder: string;
  readonly left: number;
}

interface GoneDatabase {
  readonly file: string;
  readonly left: readonly string[];
}

interface NewerDatabase {
  readonly file: string;
  readonly schema: number;
  readonly known: number;
}

interface CutDatabase {
  readonly file: string;
  readonly size: number;
  readonly bytes: number;
}

interface OldBackup {
  readonly days: number;
  readonly isNone: boolean;
  readonly folder: string;
}
