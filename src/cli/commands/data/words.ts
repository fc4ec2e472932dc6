import { catalogue } from '../../../lib/words.ts';

interface Proof {
  readonly rows: number;
}

interface Broken {
  readonly seq: number;
  readonly time: string;
  readonly kind: string;
}

interface Cut {
  readonly seq: number;
  readonly missing: number;
}

interface Changed {
  readonly seq: number;
  readonly callId: string;
  readonly what: string;
}

interface TextCounts {
  readonly matches: number;
  readonly differs: number;
  readonly gone: number;
  readonly undigested: number;
}

/** Commands that keep the data, and prove what was done. Times, sizes and paths are plain text. */
export const dataCommandWords = catalogue({
  en: {
    options: {
      withSecrets: 'also the .env file and the secrets of the config',
      force: 'replace the file if it is there',
      yes: 'do it',
      since: 'from then on: 2026-03-30, 2026-03-30T09:00, 24h, 7d',
      person: 'what this account did: telegram:17',
      tool: 'what concerns this tool',
      last: 'at most so many, the newest. Default: 50',
      whole: 'also the texts: what a call was given, and its result',
      contains: 'a hash that was noted earlier must be in it',
    },
    audit: {
      summary: 'list what was asked, allowed and done, oldest first',
      more: 'It has ids, tools, decisions, digests of arguments and results. --whole and --json add the\ntexts of these while they are stored, each with whether it matches its digest.',
    },
    auditVerify: {
      summary: 'prove that no row of the audit and no text of a call was changed',
      more: 'Each row bears the hash of the row before it. Note the printed hash elsewhere:\nif --contains HASH finds it again, nothing up to that row was removed. What calls were given and\nreturned is compared with its digests; texts that keep_days or forget removed are no fault.\nExit code: 0, or 1 if the chain is broken or a text differs.',
    },
    backup: {
      summary: 'write all data into one file, also while Keyturn runs',
      operands: '[FILE]',
      more: 'FILE is a .tar.gz, or a folder to put it in. Default: the folder "backups" in the data folder.\nIt has the database, files and the config without its secrets.',
    },
    restore: {
      summary: 'put a backup in the place of the data, after checking all of it',
      operands: 'FILE',
      more: 'Stop Keyturn first. What was there stays in the data folder, as before-restore-TIME.\nA config that is there stays as it is; if there is none, that of the backup is written.',
    },
    verify: {
      summary: 'check a backup, or without FILE the data',
      operands: '[FILE]',
      more: 'Exit code: 0, or 1 if something is damaged.',
    },
    exportPerson: {
      summary: 'write what is stored of one person into a folder, for them',
      operands: 'PERSON [FOLDER]',
      more: 'PERSON is an account, as telegram:17; linked accounts are included. Default: export-PERSON, here.\nIt has what they said, were answered, planned, allowed and had remembered, and files they sent.\nWhat others wrote is left out: quotes, pages, results of tools.',
    },
    forget: {
      summary: 'remove what is stored of one person, while Keyturn is stopped',
      operands: 'PERSON',
      more: 'PERSON is an account, as telegram:17; linked accounts go too.\nWithout --yes it only tells what would go.',
    },
    forgetHow: ({ person }: { readonly person: string }) =>
      `This removes for good what is stored of ${person}, also of linked accounts: messages, answers, calls and approvals, direct chats as a whole, memories, plans, devices, saved permissions, and their rights (owner, let in).
It stays: what others said; pinned facts of groups; files in the workspace; the audit, which has ids and no texts. The config is yours to change.
Backups made before still have it. To go on, add --yes.`,
    forgotten: ({ accounts, rows }: { readonly accounts: readonly string[]; readonly rows: number }) =>
      `Removed: ${rows} rows of ${accounts.join(', ')}.`,
    stillIn: ({ names, folder }: { readonly names: readonly string[]; readonly folder: string }) =>
      `These copies in ${folder} still have it; delete them, and those that you keep elsewhere: ${names.join(', ')}.`,
    nobody: ({ person }: { readonly person: string }) =>
      `Nothing is stored of ${person}. Accounts are written CHANNEL:ID, as telegram:17; /people in the chat lists them.`,
    noBackupFolder: ({ folder }: { readonly folder: string }) =>
      `There is no folder ${folder}. Make it first; if it is a disk, mount that.`,
    folderThere: ({ folder }: { readonly folder: string }) => `${folder} is there already. Name another folder.`,
    exported: ({
      folder,
      accounts,
      rows,
      files,
    }: {
      readonly folder: string;
      readonly accounts: readonly string[];
      readonly rows: number;
      readonly files: number;
    }) => `Written to ${folder}: ${rows} rows (rows.jsonl) and ${files} files of ${accounts.join(', ')}.`,
    notExported: 'Not in it: what others wrote, the audit, and what tools made in the workspace.',
    madeBackup: ({ file, size, files }: { readonly file: string; readonly size: string; readonly files: number }) =>
      `Backup written: ${file} (${size}, ${files} ${files === 1 ? 'file' : 'files'}).`,
    hasSecrets: 'It contains your secrets: keep it where nobody else reads it.',
    lacksSecrets: 'Tokens and keys are not in it: keep your .env file too, or add --with-secrets.',
    lacksConfig: ({ file }: { readonly file: string }) =>
      `The config is not in it: ${file} is no JSON, so its secrets cannot be told apart. Mend it and back up again, or add --with-secrets.`,
    restored: ({
      folder,
      made,
      version,
    }: {
      readonly folder: string;
      readonly made: string;
      readonly version: string;
    }) => `Restored to ${folder}: the backup of ${made}, by Keyturn ${version}.`,
    former: ({ folder }: { readonly folder: string }) =>
      `What was there before is in ${folder}. Delete it when you no longer need it.`,
    wroteConfig: ({ file }: { readonly file: string }) => `The config of the backup was written to ${file}.`,
    wroteSecrets: ({ file }: { readonly file: string }) => `The secrets of the backup were written to ${file}.`,
    setSecrets: ({ file }: { readonly file: string }) =>
      `Its tokens and keys are not in the backup: put them into ${file}, then start Keyturn.`,
    lacking: ({ file, keys }: { readonly file: string; readonly keys: readonly string[] }) =>
      `${file} lacks ${keys.join(', ')}: secrets that stood in the config are not in the backup. Write them there before you start Keyturn.`,
    keptSecrets: ({ file }: { readonly file: string }) =>
      `${file} stays as it is. The one in the backup differs: if tokens are refused, compare them.`,
    keptConfig: ({ file }: { readonly file: string }) => `The config ${file} stays as it is.`,
    startAgain: 'Start Keyturn.',
    backupWhole: ({ file, made, files }: { readonly file: string; readonly made: string; readonly files: number }) =>
      `${file} is whole: the backup of ${made}, ${files} ${files === 1 ? 'file' : 'files'}.`,
    dataWhole: ({ file, messages }: { readonly file: string; readonly messages: number }) =>
      `${file} is sound: ${messages} ${messages === 1 ? 'message' : 'messages'}.`,
    auditWhole: ({ rows }: Proof) => `The audit is whole: ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
    auditHash: ({ hash }: { readonly hash: string }) => `Its newest hash: ${hash}`,
    auditEmpty: 'The audit is empty.',
    auditBroken: ({ seq, time, kind }: Broken) =>
      `The audit was changed: row ${seq} (${kind}, ${time}) is not as it was written, or a row before it is gone. All rows before it are whole.`,
    auditCut: ({ seq, missing }: Cut) =>
      `The audit was changed: ${missing} ${missing === 1 ? 'row' : 'rows'} after row ${seq} ${missing === 1 ? 'is' : 'are'} gone. All rows up to there are whole.`,
    auditUnchained: 'The audit is from before it was a chain: the next start of Keyturn chains it.',
    auditLacks: ({ hash }: { readonly hash: string }) =>
      `The audit has no row with the hash ${hash}: rows are missing at its end, or it is another audit.`,
    textOf: { arguments: 'arguments', result: 'result' },
    verdicts: {
      matches: 'as it was written',
      differs: 'CHANGED: not what the audit has the digest of',
      gone: 'removed',
      undigested: 'from before arguments had a digest',
    },
    textCounts: ({ matches, differs, gone, undigested }: TextCounts) =>
      `Texts of calls: ${matches} as written, ${differs} changed, ${gone} removed${undigested === 0 ? '' : `, ${undigested} from before arguments had a digest`}.`,
    textChanged: ({ seq, callId, what }: Changed) =>
      `Changed: the ${what} of call ${callId}. Row ${seq} of the audit has another digest.`,
    textsChangedToo: ({ count }: { readonly count: number }) => `${count} more ${count === 1 ? 'is' : 'are'} changed.`,
    noRows: 'Nothing in the audit fits that.',
    notATime: ({ given }: { readonly given: string }) =>
      `${given} is no time. Write a day (2026-03-30), a time (2026-03-30T09:00), or how long ago (24h, 7d).`,
    notANumber: ({ given }: { readonly given: string }) => `${given} is no number. Write one from 1 to 100000.`,
  },
  zh: {
    options: {
      withSecrets: '包括 .env 文件和配置中的密钥',
      force: '文件已存在时替换它',
      yes: '执行',
      since: '从那时起：2026-03-30、2026-03-30T09:00、24h、7d',
      person: '这个账号做的事：telegram:17',
      tool: '与这个工具有关的',
      last: '最多多少条，取最新的。默认 50',
      whole: '包括原文：调用的参数和结果',
      contains: '以前记下的哈希必须在其中',
    },
    audit: {
      summary: '列出提出、批准和执行过的事，最早的在前',
      more: '其中有编号、工具名、决定，以及参数和结果的摘要值。--whole 和 --json 加上仍存着的原文，\n并说明每段原文与摘要是否相符。',
    },
    auditVerify: {
      summary: '证明审计记录的每一行和调用的原文都没有被改动',
      more: '每一行都带有前一行的哈希。把输出的哈希记在这台机器之外：\n用 --contains HASH 就能确认到那一行为止什么都没被删除。\n调用的参数和结果与摘要核对；由 keep_days 或 forget 删除的原文不算错误。\n退出码：0；链断开或原文不符时为 1。',
    },
    backup: {
      summary: '把全部数据写入一个文件，运行时也可以',
      operands: '[FILE]',
      more: 'FILE 是 .tar.gz 文件，或存放它的文件夹。默认放在数据文件夹的 backups 中。\n其中有数据库、文件和不含密钥的配置。',
    },
    restore: {
      summary: '全部检查后，用备份替换现有数据',
      operands: 'FILE',
      more: '先停止 Keyturn。原有内容留在数据文件夹的 before-restore-时间 中。\n已有的配置保持不变；没有时写入备份中的配置。',
    },
    verify: {
      summary: '检查备份；不写 FILE 时检查现有数据',
      operands: '[FILE]',
      more: '退出码：0；有损坏时为 1。',
    },
    exportPerson: {
      summary: '把与一个人有关的存储内容写入文件夹，交给本人',
      operands: 'PERSON [FOLDER]',
      more: 'PERSON 是账号，如 telegram:17；包括关联的账号。默认写入当前位置的 export-PERSON。\n其中有本人说过的话、得到的回答、计划、批准、记忆，以及发来的文件。\n不含别人写的内容：引用、网页、工具的结果。',
    },
    forget: {
      summary: '在 Keyturn 停止时删除与一个人有关的存储内容',
      operands: 'PERSON',
      more: 'PERSON 是账号，如 telegram:17；关联的账号一并删除。需要 --yes；不写时只说明会删除什么。',
    },
    forgetHow: ({ person }) =>
      `这会永久删除与 ${person} 及其关联账号有关的存储内容：消息、回答、调用和批准、整个私聊、记忆、计划、设备、保存的许可，以及权限（所有者、已放行）。
保留：别人说的话；群组里置顶的事实；工作区里的文件；审计记录，其中只有编号，没有内容。配置由你自己修改。
以前的备份里仍有这些内容。要继续，加上 --yes。`,
    forgotten: ({ accounts, rows }) => `已删除：${accounts.join('、')} 的 ${rows} 行。`,
    stillIn: ({ names, folder }) =>
      `${folder} 里的这些副本仍有这些内容；删除它们，以及你保存在别处的备份：${names.join('、')}。`,
    nobody: ({ person }) =>
      `没有存储与 ${person} 有关的内容。账号写作 CHANNEL:ID，如 telegram:17；在聊天中用 /people 查看。`,
    noBackupFolder: ({ folder }) => `没有文件夹 ${folder}。先创建它；如果是磁盘，先挂载。`,
    folderThere: ({ folder }) => `${folder} 已存在。指定另一个文件夹。`,
    exported: ({ folder, accounts, rows, files }) =>
      `已写入 ${folder}：${accounts.join('、')} 的 ${rows} 行（rows.jsonl）和 ${files} 个文件。`,
    notExported: '其中没有：别人写的内容、审计记录，以及工具在工作区里生成的内容。',
    madeBackup: ({ file, size, files }) => `备份已写入：${file}（${size}，${files} 个文件）。`,
    hasSecrets: '其中有你的密钥：放在别人读不到的地方。',
    lacksSecrets: '其中没有令牌和密钥：.env 文件要另外保存，或加 --with-secrets。',
    lacksConfig: ({ file }) =>
      `其中没有配置：${file} 不是 JSON，无法分辨其中的密钥。改好后重新备份，或加 --with-secrets。`,
    restored: ({ folder, made, version }) => `已恢复到 ${folder}：${made} 的备份，由 Keyturn ${version} 制作。`,
    former: ({ folder }) => `原有内容在 ${folder} 中。不再需要时删除它。`,
    wroteConfig: ({ file }) => `备份中的配置已写入 ${file}。`,
    wroteSecrets: ({ file }) => `备份中的密钥已写入 ${file}。`,
    setSecrets: ({ file }) => `备份中没有令牌和密钥：把它们写入 ${file}，再启动 Keyturn。`,
    lacking: ({ file, keys }) =>
      `${file} 缺少 ${keys.join('、')}：写在配置中的密钥不在备份里。启动 Keyturn 之前在那里写入。`,
    keptSecrets: ({ file }) => `${file} 保持不变。备份中的与它不同：如果令牌被拒绝，对比两者。`,
    keptConfig: ({ file }) => `配置 ${file} 保持不变。`,
    startAgain: '启动 Keyturn。',
    backupWhole: ({ file, made, files }) => `${file} 完整：${made} 的备份，${files} 个文件。`,
    dataWhole: ({ file, messages }) => `${file} 完好：${messages} 条消息。`,
    auditWhole: ({ rows }) => `审计记录完整：${rows} 行。`,
    auditHash: ({ hash }) => `最新的哈希：${hash}`,
    auditEmpty: '审计记录为空。',
    auditBroken: ({ seq, time, kind }) =>
      `审计记录被改动：第 ${seq} 行（${kind}，${time}）与写入时不同，或它之前有一行不见了。在它之前的行都完整。`,
    auditCut: ({ seq, missing }) => `审计记录被改动：第 ${seq} 行之后有 ${missing} 行不见了。到那里为止的行都完整。`,
    auditUnchained: '这份审计记录早于链式记录：Keyturn 下次启动时把它接成链。',
    auditLacks: ({ hash }) => `审计记录中没有哈希为 ${hash} 的行：末尾缺少若干行，或这是另一份记录。`,
    textOf: { arguments: '参数', result: '结果' },
    verdicts: {
      matches: '与写入时相同',
      differs: '被改动：与审计记录的摘要不符',
      gone: '已删除',
      undigested: '早于参数摘要',
    },
    textCounts: ({ matches, differs, gone, undigested }) =>
      `调用的原文：${matches} 段与写入时相同，${differs} 段被改动，${gone} 段已删除${undigested === 0 ? '' : `，${undigested} 段早于参数摘要`}。`,
    textChanged: ({ seq, callId, what }) => `被改动：调用 ${callId} 的${what}。审计记录第 ${seq} 行的摘要与它不符。`,
    textsChangedToo: ({ count }) => `还有 ${count} 段被改动。`,
    noRows: '审计记录中没有符合的内容。',
    notATime: ({ given }) => `${given} 不是时间。写日期（2026-03-30）、时间（2026-03-30T09:00）或多久以前（24h、7d）。`,
    notANumber: ({ given }) => `${given} 不是数字。写 1 到 100000 之间的数。`,
  },
});
