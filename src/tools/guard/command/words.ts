import { catalogue } from '../../../lib/words.ts';

/** One kind of what a command does. `names`: two of what it concerns, as markdown, of `count` in all; none if nothing is named. */
interface Deed {
  readonly names: readonly string[];
  readonly count: number;
}

/** What is wrong with an entry of `tools.shell.allow` or `deny`. */
interface WrongKind {
  readonly kinds: readonly string[];
  readonly meant: string | undefined;
}

/** What a command does, for those who decide about it, and faults of the operator's rules for commands. */
export const commandWords = catalogue({
  en: {
    /** After "May I". The command is markdown. */
    run: (command: string) => `run ${command}`,
    runThis: 'run this command',
    readOnly: 'Read-only',
    cannotTell: 'Keyturn cannot tell what it does',
    cannotTellMore: 'Keyturn cannot tell what else it does',
    downloaded_code: (deed: Deed) => englishNote('Runs code from the network', deed),
    recursive_deletion: (deed: Deed) => `Deletes ${englishNames(deed, 'files')} and everything inside`,
    system_change: (deed: Deed) => englishNote('Changes the system', deed),
    privilege: (deed: Deed) => englishNote('Runs with other rights', deed),
    overwritten: (deed: Deed) => `Overwrites commits on ${englishNames(deed, 'the remote')}`,
    removed: (deed: Deed) => `Deletes branches or tags on ${englishNames(deed, 'the remote')}`,
    upload: (deed: Deed) => `Sends data to ${englishNames(deed, 'the network')}`,
    network_listener: (deed: Deed) => englishNote('Lets others connect', deed),
    hidden_code: (deed: Deed) => englishNote('Runs code that Keyturn cannot read', deed),
    deletion: (deed: Deed) => `Deletes ${englishNames(deed, 'files')}`,
    permission_change: (deed: Deed) => englishNote('Changes permissions', deed),
    process_ending: (deed: Deed) => englishNote('Ends processes', deed),
    network: (deed: Deed) => englishNote('Uses the network', deed),
    writing: (deed: Deed) => englishNote('Writes files', deed),
    unknown: (deed: Deed) => englishNote('Keyturn cannot tell what it does', deed),
    reading: (deed: Deed) => englishNote('Reads', deed),
    ruleIsEmpty: 'expected a command such as "git push --force", or a kind such as "@network"',
    ruleIsNotPlain:
      'expected the plain words of one command, such as "git push --force", without quotes, pipes or variables',
    starNotLast: 'expected a "*" only as the last word, such as "docker *"',
    starAlone: 'expected a command before the "*"',
    kindNotAllowed: ({ readOnly }: { readonly readOnly: string }) =>
      `of kinds, only "${readOnly}" can be allowed: name the commands instead`,
    kindOnlyAllowed: ({ readOnly }: { readonly readOnly: string }) => `"${readOnly}" is for tools.shell.allow alone`,
    unknownKind: ({ kinds, meant }: WrongKind) =>
      `expected ${eitherOf(kinds, ' or ', ', ')}${meant === undefined ? '' : ` (did you mean "${meant}"?)`}`,
  },
  zh: {
    run: (command) => `运行 ${command}`,
    runThis: '运行这条命令',
    readOnly: '只读取',
    cannotTell: 'Keyturn 无法判断它会做什么',
    cannotTellMore: 'Keyturn 无法判断它还会做什么',
    downloaded_code: (deed) => chineseNote('运行来自网络的代码', deed),
    recursive_deletion: (deed) => `删除${chineseNames(deed, '文件')}，包括其中的全部内容`,
    system_change: (deed) => chineseNote('更改系统', deed),
    privilege: (deed) => chineseNote('以其他用户的权限运行', deed),
    overwritten: (deed) => `覆盖${chineseNames(deed, '远程仓库', ' ')}上的提交`,
    removed: (deed) => `删除${chineseNames(deed, '远程仓库', ' ')}上的分支或标签`,
    upload: (deed) => `把数据发送到${chineseNames(deed, '网络')}`,
    network_listener: (deed) => chineseNote('允许外部连接', deed),
    hidden_code: (deed) => chineseNote('运行 Keyturn 无法读取的代码', deed),
    deletion: (deed) => `删除${chineseNames(deed, '文件')}`,
    permission_change: (deed) => chineseNote('更改权限', deed),
    process_ending: (deed) => chineseNote('结束进程', deed),
    network: (deed) => chineseNote('使用网络', deed),
    writing: (deed) => chineseNote('写入文件', deed),
    unknown: (deed) => chineseNote('Keyturn 无法判断它会做什么', deed),
    reading: (deed) => chineseNote('读取', deed),
    ruleIsEmpty: '应为一条命令，例如 "git push --force"，或一个种类，例如 "@network"',
    ruleIsNotPlain: '应为一条命令的普通单词，例如 "git push --force"，不含引号、管道或变量',
    starNotLast: '"*" 只能是最后一个单词，例如 "docker *"',
    starAlone: '"*" 前面应有一条命令',
    kindNotAllowed: ({ readOnly }) => `在种类中只能允许 "${readOnly}"：改为写出具体命令`,
    kindOnlyAllowed: ({ readOnly }) => `"${readOnly}" 只能用于 tools.shell.allow`,
    unknownKind: ({ kinds, meant }) =>
      `应为 ${eitherOf(kinds, ' 或 ', '、')}${meant === undefined ? '' : `（是否想写 "${meant}"？）`}`,
  },
});

/** Two by name, the others as a number. */
function englishNames({ names, count }: Deed, otherwise: string): string {
  if (names.length === 0) return otherwise;
  return count > names.length ? `${names.join(', ')} and ${count - names.length} more` : names.join(' and ');
}

/** `after`: stands between a name and Chinese words behind it. */
function chineseNames({ names, count }: Deed, otherwise: string, after = ''): string {
  if (names.length === 0) return otherwise;
  return ` ${names.join('、')}${count > names.length ? ` 等 ${count} 项` : after}`;
}

function englishNote(deed: string, named: Deed): string {
  return named.names.length === 0 ? deed : `${deed} (${englishNames(named, '')})`;
}

function chineseNote(deed: string, named: Deed): string {
  return named.names.length === 0 ? deed : `${deed}（${chineseNames(named, '').trim()}）`;
}

/** `"a", "b" or "c"`, with the words between. */
function eitherOf(options: readonly string[], or: string, comma: string): string {
  const quoted = options.map((option) => `"${option}"`);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(comma)}${or}${last}`;
}
