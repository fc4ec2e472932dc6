import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

/** Commands that change the config, and tell what has changed in it. Times, paths and keys are plain text. */
export const configCommandWords = catalogue({
  en: {
    options: {
      defaults: 'what the file sets to something else than the default',
      list: 'what there is to go back to',
    },
    edit: {
      summary: 'edit the config in your editor; it is checked before it counts',
      more: 'Opens a copy in $VISUAL, $EDITOR, nano or vi. What cannot be used never becomes the config.',
    },
    diff: {
      summary: 'tell what differs between the config and what runs',
      operands: '[VERSION]',
      more: `VERSION: what was in force before, as "${ownCommand()} config rollback --list" numbers it, or a time:\n2026-03-30T09:00, 24h. If nothing runs, the default is the newest version. Secrets are not shown.\nExit code: 0, or 78 if the file cannot be used.`,
    },
    rollback: {
      summary: 'go back to a config that worked',
      operands: '[VERSION]',
      more: 'VERSION: a number of --list, or a time: what was in force then. Default: the newest that differs.\nThe present config is kept as well: a second rollback takes the first one back.',
    },

    needsTerminal: `An editor needs a terminal. Change the file with another program, then run "${ownCommand()} config check" and "${ownCommand()} config diff".`,
    noEditor: `There is no editor here. Set EDITOR to one, as in: EDITOR=nano ${ownCommand()} config edit`,
    editorFailed: ({ editor, code, file }: FailedEditor) =>
      `${editor} ended with the code ${code}. The config is as it was.${file === undefined ? '' : ` Your copy is ${file}.`}`,
    nothingChanged: 'Nothing was changed.',
    copiesLeft: ({ folder, left }: { readonly folder: string; readonly left: readonly string[] }) =>
      `In ${folder} are copies of earlier edits: ${left.join(', ')}. Delete them when you do not need them.`,
    unusable: 'This cannot be used:',
    question: {
      whatNow: 'What now?',
      again: 'Edit it again',
      keep: 'Keep the copy, leave the config as it is',
      drop: 'Throw it away',
    },
    keptCopy: ({ file }: { readonly file: string }) => `The config is as it was. Your copy is ${file}.`,
    thrownAway: 'Thrown away. The config is as it was.',
    changedMeanwhile: 'Somebody else has changed the config meanwhile, so it was not written.',
    written: ({ file }: { readonly file: string }) => `Written to ${file}:`,
    onlyForm: '  Only its form and comments have changed.',
    warning: ({ text }: { readonly text: string }) => `Warning  ${text}`,
    notWritable: ({ path, code }: { readonly path: string; readonly code: string }) =>
      `${path} cannot be read or written (${code}). ${code === 'ENOSPC' ? 'The disk is full: make room.' : 'Run the command as the user who owns it, where it may be written.'} The config is as it was.`,

    takenAtStart: 'Keyturn does not run: it takes this over when it starts.',
    needsHangUp: 'The config is in a workspace, so an edit is read only when you say so: kill -HUP the process.',
    inForce: 'It is in force.',
    inForceBut: ({ keys }: { readonly keys: readonly string[] }) =>
      `It is in force, but for ${keys.join(', ')}: restart Keyturn for that.`,
    refused: ({ fault }: { readonly fault: string }) => `The Keyturn that runs does not take it over. ${fault}`,
    notTold: `The Keyturn that runs does not tell which config it has: an older version, perhaps. Look at "${ownCommand()} status".`,
    notTaken: `The Keyturn that runs has not taken it over yet. "${ownCommand()} config diff" tells what it holds, and its log says why.`,

    notThere: '(not set)',
    aSecret: '(a secret)',
    otherSecret: '(another secret)',
    atNextStart: '(at the next start)',
    nothingDiffers: '  Nothing differs.',
    faulty: 'The file cannot be used as it is now, so it is not in force:',
    fromRunning: 'What runs → the file',
    fromVersion: ({ number, at }: { readonly number: number; readonly at: string }) =>
      `Version ${number}, kept ${at} → the file`,
    fromDefaults: 'The default → the file',
    nothingKept: 'No version is kept yet: each config that Keyturn runs with is.',

    versionLine: ({ number, at, differs }: VersionLine) =>
      `${String(number).padStart(3)}  ${at}  ${differs === undefined ? '' : differs === '' ? 'like the file now' : `differs in ${differs}`}`.trimEnd(),
    someKeys: ({ keys, more }: { readonly keys: readonly string[]; readonly more: number }) =>
      more === 0 ? keys.join(', ') : `${keys.join(', ')} and ${more} more`,
    howToGoBack: `To see one: ${ownCommand()} config diff NUMBER   To go back: ${ownCommand()} config rollback NUMBER`,
    noVersion: ({ given, count }: { readonly given: string; readonly count: number }) =>
      count === 0
        ? 'No version is kept yet: each config that Keyturn runs with is.'
        : `"${given}" is no version: there are 1 to ${count}, the newest first. A time may stand there too (2026-03-30T09:00, 24h), if a version is as old.`,
    noFormer: 'There is no kept version that differs from the file, so nothing to go back to.',
    lacksSecrets: ({ at, keys }: { readonly at: string; readonly keys: readonly string[] }) =>
      `The version of ${at} lacks ${keys.join(', ')}: versions keep no secrets, and the file has other ones now. Nothing was changed. Put such values into .env as NAME=value, and "\${NAME}" into the config; then a version is complete.`,
    versionFaulty: ({ at }: { readonly at: string }) =>
      `The version of ${at} cannot be used any longer. Nothing was changed.`,
    wentBack: ({ file, at }: { readonly file: string; readonly at: string }) => `${file} is again as of ${at}:`,
    keptFaulty: ({ file }: { readonly file: string }) => `The text that stood there is ${file}.`,
  },
  zh: {
    options: {
      defaults: '文件中与默认值不同的设置',
      list: '列出可以恢复的版本',
    },
    edit: {
      summary: '用编辑器修改配置；检查通过后才生效',
      more: '用 $VISUAL、$EDITOR、nano 或 vi 打开一份副本。不能用的内容不会成为配置。',
    },
    diff: {
      summary: '说明配置文件与正在运行的配置有何不同',
      operands: '[VERSION]',
      more: `VERSION：以前生效的版本，用“${ownCommand()} config rollback --list”列出的编号，或一个时间：\n2026-03-30T09:00、24h。没有在运行时，默认与最新的版本比较。不显示密钥。\n退出码：0；文件无法使用时为 78。`,
    },
    rollback: {
      summary: '恢复以前可用的配置',
      operands: '[VERSION]',
      more: 'VERSION：--list 的编号，或一个时间（当时生效的版本）。默认取与文件不同的最新版本。\n现在的配置也会保留：再恢复一次就能撤回。',
    },

    needsTerminal: `编辑器需要终端。用别的程序修改文件，再运行“${ownCommand()} config check”和“${ownCommand()} config diff”。`,
    noEditor: `这里没有编辑器。用 EDITOR 指定一个，例如：EDITOR=nano ${ownCommand()} config edit`,
    editorFailed: ({ editor, code, file }) =>
      `${editor} 以退出码 ${code} 结束。配置没有改动。${file === undefined ? '' : `你的副本在 ${file}。`}`,
    nothingChanged: '没有改动。',
    copiesLeft: ({ folder, left }) => `${folder} 里有以前编辑留下的副本：${left.join('、')}。不需要时删除它们。`,
    unusable: '这样无法使用：',
    question: {
      whatNow: '怎么办？',
      again: '继续编辑',
      keep: '保留副本，配置不变',
      drop: '丢弃',
    },
    keptCopy: ({ file }) => `配置没有改动。你的副本在 ${file}。`,
    thrownAway: '已丢弃。配置没有改动。',
    changedMeanwhile: '其间有别人改过配置，所以没有写入。',
    written: ({ file }) => `已写入 ${file}：`,
    onlyForm: '  只有格式和注释变了。',
    warning: ({ text }) => `警告  ${text}`,
    notWritable: ({ path, code }) =>
      `无法读取或写入 ${path}（${code}）。${code === 'ENOSPC' ? '磁盘已满：腾出空间。' : '用它的所有者运行这个命令，并确认那里可以写入。'}配置没有改动。`,

    takenAtStart: 'Keyturn 没有在运行：启动时使用这份配置。',
    needsHangUp: '配置在工作区里，只有你要求时才会读取：对进程执行 kill -HUP。',
    inForce: '已经生效。',
    inForceBut: ({ keys }) => `已经生效，但 ${keys.join('、')} 要重启 Keyturn 才生效。`,
    refused: ({ fault }) => `正在运行的 Keyturn 没有采用它。${fault}`,
    notTold: `正在运行的 Keyturn 没有说明它用的配置：版本不同、属于另一个用户，或没有回答。用“${ownCommand()} status”查看。`,
    notTaken: `正在运行的 Keyturn 还没有采用它。“${ownCommand()} config diff”显示它现在用的配置，日志里有原因。`,

    notThere: '（未设置）',
    aSecret: '（密钥）',
    otherSecret: '（换了密钥）',
    atNextStart: '（下次启动时）',
    nothingDiffers: '  没有不同。',
    faulty: '文件现在无法使用，所以没有生效：',
    fromRunning: '正在运行的 → 文件',
    fromVersion: ({ number, at }) => `版本 ${number}（${at} 保存）→ 文件`,
    fromDefaults: '默认值 → 文件',
    nothingKept: '还没有保存任何版本：Keyturn 运行过的每份配置都会保存。',

    versionLine: ({ number, at, differs }) =>
      `${String(number).padStart(3)}  ${at}  ${differs === undefined ? '' : differs === '' ? '与文件相同' : `不同之处：${differs}`}`.trimEnd(),
    someKeys: ({ keys, more }) => (more === 0 ? keys.join('、') : `${keys.join('、')}，另有 ${more} 处`),
    howToGoBack: `查看：${ownCommand()} config diff NUMBER   恢复：${ownCommand()} config rollback NUMBER`,
    noVersion: ({ given, count }) =>
      count === 0
        ? '还没有保存任何版本：Keyturn 运行过的每份配置都会保存。'
        : `“${given}”不是版本：有 1 到 ${count}，最新的在前。也可以写时间（2026-03-30T09:00、24h），如果有那么早的版本。`,
    noFormer: '没有与文件不同的版本，没有可恢复的内容。',
    lacksSecrets: ({ at, keys }) =>
      `${at} 的版本缺少 ${keys.join('、')}：版本不保存密钥，而文件里的密钥已经换了。没有改动。把这些值以 NAME=value 写进 .env，在配置中写 "\${NAME}"，版本就是完整的。`,
    versionFaulty: ({ at }) => `${at} 的版本已经无法使用。没有改动。`,
    wentBack: ({ file, at }) => `${file} 已恢复到 ${at}：`,
    keptFaulty: ({ file }) => `原来的内容在 ${file}。`,
  },
});

interface FailedEditor {
  readonly editor: string;
  readonly code: number;
  /** The copy, if it is another text than the config. */
  readonly file: string | undefined;
}

interface VersionLine {
  readonly number: number;
  readonly at: string;
  /** Undefined: the file cannot be read. Empty: it is the same. */
  readonly differs: string | undefined;
}
