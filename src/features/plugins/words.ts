import { catalogue } from '../../lib/words.ts';

/** Plugins, for those who decide about them or see them fail. Names are as they are, if nothing else is said. */
export const pluginWords = catalogue({
  en: {
    title: ({ plugin }: Plugin) => `Plugin ${plugin}`,
    /** As code. */
    call: ({ tool, plugin, args }: Plugin & { readonly tool: string; readonly args: string }) =>
      `use ${tool} of the plugin ${plugin} with ${args}`,
    startsAgain: ({ seconds }: { readonly seconds: number }) => `it crashed, and is started again in ${seconds} s`,
    /** For models, too. */
    gaveUp:
      'It has crashed five times within ten minutes. It is off until Keyturn is started again, or an owner ends the trust and gives it again.',
    isOff: ({ plugin, why }: Plugin & { readonly why: string }) => `⚠️ The plugin ${plugin} is off. ${why}`,
    /** As markdown. */
    about: ({ plugin, version, author, description }: About) =>
      `**${plugin}** ${version}${author === undefined ? '' : ` by ${author}`}: ${description}`,
    tools: ({ lines, more }: { readonly lines: readonly string[]; readonly more: number }) =>
      lines.length === 0
        ? 'It brings no tools.'
        : ['It brings these tools:', ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n'),
    tool: ({ tool, category, description, command }: ToolLine) =>
      `- ${tool} (${category}): ${description}${command === undefined ? '' : ` Runs ${command}.`}`,
    place: ({ folder, fileCount, program, isConfined }: Place) =>
      `It lies in ${folder} (${fileCount} ${fileCount === 1 ? 'file' : 'files'}), ${enRuns(program)}. ${isConfined ? 'It runs in the sandbox.' : 'There is no sandbox here: it can do whatever Keyturn can.'}`,
    noFolder: ({ path }: Path) => `plugins.plugin_dirs: there is no folder ${path}`,
    nameTaken: ({ path, plugin }: Path & Plugin) => `${path}: there is a plugin "${plugin}" already`,
    unreadable: ({ path }: Path) => `${path}: it could not be read.`,
    gone: 'is not there any more, or has another name',
    unusable: ({ faults }: { readonly faults: readonly string[] }) => `cannot be used any more: ${faults.join('; ')}`,
    toolTaken: ({ tool }: { readonly tool: string }) =>
      `has a tool ${tool}, which is left out: there is another one of that name`,
    /** A fault of a file, or of a whole folder. */
    faultIn: ({ path, fault }: Path & { readonly fault: string }) => `${path}: ${fault}`,
    folderFault: ({ path, fault }: Path & { readonly fault: string }) => `${path} ${fault}`,
    inWorkspace:
      'a plugin must not lie in a workspace or the data folder, nor one of these in a plugin, since tools can write there: move it',
    noManifest: 'it has to be a file',
    noBinary: ({ path }: Path) => `binary.path: there is no file "${path}" in the folder`,
    notExecutable: ({ path }: Path) => `binary.path: "${path}" is not executable: run chmod +x on it`,
    otherBinary: ({ path, sha256 }: Path & { readonly sha256: string }) =>
      `binary.sha256: "${path}" is another file: its SHA-256 is ${sha256}`,
    notUtf8: 'the file is not UTF-8: save it as UTF-8',
    notJson: ({ fault }: { readonly fault: string }) => `the file is not JSON: ${fault}`,
    tooManyEntries: ({ count }: { readonly count: number }) => `contains more than ${count} files and folders`,
    nameNotUtf8: ({ path }: Path) => `contains "${path}", whose name is not UTF-8`,
    strangeEntry: ({ path }: Path) => `contains "${path}", which is neither a file, a folder nor a link`,
    leadsOut: ({ path }: Path) => `contains the link "${path}", which leads out of it`,
    changedMeanwhile: ({ path }: Path) => `was changed while it was read: "${path}"`,
    tooLarge: ({ megabytes }: { readonly megabytes: number }) => `contains more than ${megabytes} MB`,
    manifestTooLarge: ({ path }: Path) => `has a ${path} of more than 1 MB`,
    folderUnreadable: ({ code }: { readonly code: string }) => `cannot be read (${code})`,
    entryUnreadable: ({ path, code }: Path & { readonly code: string }) =>
      `contains "${path}", which cannot be read (${code})`,
  },
  zh: {
    title: ({ plugin }) => `插件 ${plugin}`,
    call: ({ tool, plugin, args }) => `使用插件 ${plugin} 的 ${tool}，参数 ${args}`,
    startsAgain: ({ seconds }) => `它崩溃了，${seconds} 秒后重新启动`,
    gaveUp: '它在十分钟内崩溃了五次，已停用。重新启动 Keyturn，或由所有者撤销信任后重新信任，才会再次启用。',
    isOff: ({ plugin, why }) => `⚠️ 插件 ${plugin} 已停用。${why}`,
    about: ({ plugin, version, author, description }) =>
      `**${plugin}** ${version}${author === undefined ? '' : `，作者 ${author}`}：${description}`,
    tools: ({ lines, more }) =>
      lines.length === 0
        ? '它不提供工具。'
        : ['它提供这些工具：', ...lines, ...(more > 0 ? [`- 以及另外 ${more} 个`] : [])].join('\n'),
    tool: ({ tool, category, description, command }) =>
      `- ${tool}（${category}）：${description}${command === undefined ? '' : ` 运行 ${command}。`}`,
    place: ({ folder, fileCount, program, isConfined }) =>
      `它位于 ${folder}（${fileCount} 个文件），${zhRuns(program)}。${isConfined ? '它在沙箱中运行。' : '这里没有沙箱：它能做 Keyturn 能做的一切。'}`,
    noFolder: ({ path }) => `plugins.plugin_dirs：没有文件夹 ${path}`,
    nameTaken: ({ path, plugin }) => `${path}：已有名为 "${plugin}" 的插件`,
    unreadable: ({ path }) => `${path}：无法读取。`,
    gone: '已不存在，或改了名称',
    unusable: ({ faults }) => `已无法使用：${faults.join('；')}`,
    toolTaken: ({ tool }) => `有工具 ${tool}，但已有同名工具，因此未采用`,
    faultIn: ({ path, fault }) => `${path}：${fault}`,
    folderFault: ({ path, fault }) => `${path} ${fault}`,
    inWorkspace: '插件不能放在工作区或数据文件夹中，也不能包含它们，因为工具可以改写那里：把它移走',
    noManifest: '它必须是文件',
    noBinary: ({ path }) => `binary.path：文件夹中没有文件 "${path}"`,
    notExecutable: ({ path }) => `binary.path："${path}" 不可执行：对它运行 chmod +x`,
    otherBinary: ({ path, sha256 }) => `binary.sha256："${path}" 是另一个文件，它的 SHA-256 是 ${sha256}`,
    notUtf8: '文件不是 UTF-8：用 UTF-8 保存',
    notJson: ({ fault }) => `文件不是 JSON：${fault}`,
    tooManyEntries: ({ count }) => `包含的文件和文件夹超过 ${count} 个`,
    nameNotUtf8: ({ path }) => `包含 "${path}"，它的名称不是 UTF-8`,
    strangeEntry: ({ path }) => `包含 "${path}"，它不是文件、文件夹或链接`,
    leadsOut: ({ path }) => `包含链接 "${path}"，它指向文件夹之外`,
    changedMeanwhile: ({ path }) => `在读取时有改动："${path}"`,
    tooLarge: ({ megabytes }) => `内容超过 ${megabytes} MB`,
    manifestTooLarge: ({ path }) => `中的 ${path} 超过 1 MB`,
    folderUnreadable: ({ code }) => `无法读取（${code}）`,
    entryUnreadable: ({ path, code }) => `包含 "${path}"，它无法读取（${code}）`,
  },
});

function enRuns(program: Program | undefined): string {
  if (program === undefined) return 'and runs commands';
  return `and runs ${program.path}, ${program.isLongLived ? 'which goes on running' : 'once for each call'}`;
}

function zhRuns(program: Program | undefined): string {
  if (program === undefined) return '运行命令';
  return program.isLongLived ? `运行 ${program.path}，它会持续运行` : `每次调用运行一次 ${program.path}`;
}

interface Plugin {
  readonly plugin: string;
}

interface Path {
  readonly path: string;
}

interface About {
  readonly plugin: string;
  readonly version: string;
  readonly author: string | undefined;
  readonly description: string;
}

/** As markdown. */
interface ToolLine {
  readonly tool: string;
  readonly category: string;
  readonly description: string;
  readonly command: string | undefined;
}

/** As code. */
interface Program {
  readonly path: string;
  readonly isLongLived: boolean;
}

interface Place {
  /** As code. */
  readonly folder: string;
  readonly fileCount: number;
  /** Undefined: each tool has a command. */
  readonly program: Program | undefined;
  readonly isConfined: boolean;
}
