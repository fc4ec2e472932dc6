import { catalogue } from '../../lib/words.ts';

/** Code of the operator that runs within Keyturn: files of tools, channels. Reasons have no subject. */
export const moduleWords = catalogue({
  en: {
    title: ({ file }: File) => `The file of tools ${file}`,
    intro:
      'A file of tools that `tool_modules` of the config names. It runs within Keyturn, and can do whatever Keyturn can.',
    /** `file`: as code. */
    nothingLoaded: ({ file, fault }: File & { readonly fault: string }) =>
      `⚠️ Nothing was loaded from ${file}: ${fault}`,
    nameReserved: ({ tool }: Tool) =>
      `has a tool "${tool}", but that is the name of a builtin tool that is off, or is spelled like one`,
    nameTaken: ({ tool }: Tool) => `has a tool "${tool}", but another one of the config is called so`,
    noTool: `exports no tool: ${enAdvice()}`,
    otherExport: `exports something in place of a tool: ${enAdvice()}`,
    noFactory: `exports a function that makes no tool: ${enAdvice()}`,
    badDefinition: ({ tool, why }: Tool & { readonly why: string }) =>
      `has the tool "${tool}", which cannot say what it is: ${why}`,
    files: ({ names, more }: Names) => `Files: ${enList(names, more)}.`,
    packages: ({ names, more }: Names) => `It imports packages, which are not looked at: ${enList(names, more)}.`,
    absent: 'does not exist: see where the config says that it is',
    wrongEnding:
      'is not loaded: its name, and that of the file that a link leads to, has to end in .ts, .mts, .js or .mjs',
    tooManyFiles: ({ count }: { readonly count: number }) => `imports more than ${count} files`,
    inWorkspace: ({ file }: File) =>
      `stands on ${file}, which is in a workspace or in the data folder, where tools write`,
    noFile: ({ file }: File) => `stands on ${file}, which is no file`,
    tooLarge: ({ file }: File) => `stands on ${file}, which is larger than 1 MB`,
    unreadable: ({ file, code }: File & { readonly code: string }) =>
      `stands on ${file}, which cannot be read (${code})`,
    /** `specifier`: as JSON. */
    notReviewed: ({ specifier, endings }: { readonly specifier: string; readonly endings: readonly string[] }) =>
      `imports ${specifier}, which was not looked at when it was trusted: name the file by its relative path, with its ending (${endings.join(', ')}), as it stands there`,
  },
  zh: {
    title: ({ file }) => `工具文件 ${file}`,
    intro: '配置的 `tool_modules` 指定的工具文件。它在 Keyturn 内部运行，能做 Keyturn 能做的一切。',
    nothingLoaded: ({ file, fault }) => `⚠️ 没有从 ${file} 加载任何工具：${fault}`,
    nameReserved: ({ tool }) => `有工具 "${tool}"，但这是一个已关闭的内置工具的名称，或拼写与它相同`,
    nameTaken: ({ tool }) => `有工具 "${tool}"，但配置中的另一个工具已使用这个名称`,
    noTool: `没有导出工具：${zhAdvice()}`,
    otherExport: `导出的内容不是工具：${zhAdvice()}`,
    noFactory: `导出的函数没有返回工具：${zhAdvice()}`,
    badDefinition: ({ tool, why }) => `有工具 "${tool}"，但它的定义无法读取：${why}`,
    files: ({ names, more }) => `文件：${zhList(names, more)}。`,
    packages: ({ names, more }) => `它导入了这些未经审查的包：${zhList(names, more)}。`,
    absent: '不存在：检查配置中的路径',
    wrongEnding: '未加载：文件名以及链接所指文件的名称必须以 .ts、.mts、.js 或 .mjs 结尾',
    tooManyFiles: ({ count }) => `导入的文件超过 ${count} 个`,
    inWorkspace: ({ file }) => `依赖 ${file}，它在工作区或数据文件夹中，工具可以改写它`,
    noFile: ({ file }) => `依赖 ${file}，它不是文件`,
    tooLarge: ({ file }) => `依赖 ${file}，它超过 1 MB`,
    unreadable: ({ file, code }) => `依赖 ${file}，它无法读取（${code}）`,
    notReviewed: ({ specifier, endings }) =>
      `导入了 ${specifier}，它在信任时未经审查：用文件的相对路径来写，并保留原来的扩展名（${endings.join('、')}）`,
  },
});

function enAdvice(): string {
  return 'export what defineTool of "@keyturn/sdk/tool" makes';
}

function zhAdvice(): string {
  return '导出 "@keyturn/sdk/tool" 的 defineTool 的返回值';
}

function enList(names: readonly string[], more: number): string {
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function zhList(names: readonly string[], more: number): string {
  return `${names.join('、')}${more > 0 ? `，以及另外 ${more} 个` : ''}`;
}

interface File {
  readonly file: string;
}

interface Tool {
  readonly tool: string;
}

interface Names {
  readonly names: readonly string[];
  readonly more: number;
}
