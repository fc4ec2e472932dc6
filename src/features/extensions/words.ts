import { catalogue } from '../../lib/words.ts';
import type { TrustChange, TrustKind } from './trust-subject.ts';

/** Trust in external code, and `/mcp`, for people. Ids, commands and names are given in markdown. */
export const extensionWords = catalogue({
  en: {
    menu: {
      mcp: {
        description: 'Show the MCP servers, and which of their tools are left out',
        argument: '',
        help: '`/mcp`: the MCP servers, and which of their tools are left out',
      },
      trust: {
        description: 'Show or trust what others have written',
        argument: '[ID]',
        help: '`/trust ID`, `/distrust ID`: review what others have written',
      },
      distrust: { description: 'Trust it no longer, or refuse it', argument: 'ID', help: '' },
    },
    noServers: 'The config has no MCP servers: `mcp_servers` is where they stand.',
    whichToDistrust: 'Say which: `/distrust ID`. `/trust` shows the ids.',
    subject: ({ kind, name }: Subject) => `${enKinds[kind]} ${name}`,
    /** The same at the beginning of a sentence. */
    subjectFirst: ({ kind, name }: Subject) => `${enKindsFirst[kind]} ${name}`,
    news: ({ subject, isChanged }: { readonly subject: string; readonly isChanged: boolean }) =>
      `🔑 ${subject} ${isChanged ? 'has changed since it was trusted, and is off until an owner trusts it as it is now.' : 'is new here, and is off until an owner trusts it as it is.'}`,
    newsOfSeveral:
      '🔑 These are new here, or have changed since they were trusted, and are off until an owner trusts them as they are:',
    showsAgain: '`/trust` shows all of it again.',
    asked: ({ what, trust, distrust, fingerprint }: Asked) =>
      `${what}\nTrust it as it is: ${trust}. Refuse it: ${distrust}. Its fingerprint is ${fingerprint}.`,
    nothingAsked: 'Nothing waits to be trusted.',
    offUntilTrusted: 'These are off until an owner trusts them:',
    trustedList: ({ lines }: Lines) => ['Trusted:', ...lines].join('\n'),
    refusedList: ({ lines }: Lines) => ['Refused:', ...lines].join('\n'),
    trustedLine: ({ id, subject, by, since }: TrustedLine) =>
      `- ${id}: ${subject}, ${by === undefined ? "by the config's word" : `by ${by}`} since ${since}`,
    refusedLine: ({ subject, trust }: { readonly subject: string; readonly trust: string }) =>
      `- ${subject}: ${trust} would trust it`,
    endsIt: '`/distrust ID` ends it.',
    changed: ({ subject, became, undo }: Changed) => {
      switch (became) {
        case 'trusted':
          return `🔑 Trusted: ${subject}. ${undo} undoes it.`;
        case 'distrusted':
          return `No longer trusted: ${subject}. It is off.`;
        case 'refused':
          return `Refused: ${subject}. It stays off.`;
      }
    },
    fitsNothing: ({ isRest }: { readonly isRest: boolean }) =>
      `${isRest ? 'The rest fits nothing' : 'There is nothing like that'}: what has changed meanwhile has another ID. \`/trust\` shows them.`,
    waitsForTrust: ({ count }: { readonly count: number }) =>
      `${count === 1 ? 'One thing that others have written waits' : `${count} things that others have written wait`} to be trusted: \`/trust\`.`,
    /** Why a piece of external code cannot be used. `why` has no subject. */
    unusable: ({ why }: Why) => `it ${why}.`,
    badTool: ({ why }: Why) => `${why}.`,
    threw: ({ error }: { readonly error: string }) => `it threw ${error}`,
    threwUnshown: 'it threw what cannot be shown',
    trouble: ({ title, fault }: { readonly title: string; readonly fault: string }) => `${title}: ${fault}`,
    stillStarting: ({ place }: { readonly place: string }) => `${place} is still starting.`,
    ended: ({ exitCode, signal, printed, refusals }: Ended) =>
      `${exitCode === undefined ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`}${printed === '' ? '' : `${enPrinted}${printed}`}${refusals.map((refusal) => ` ${refusal}`).join('')}`,
    endedForFlood: ({ seconds }: Seconds) => `it was ended because it wrote more than can be read, for ${seconds} s`,
    endedForLine: ({ bytes }: { readonly bytes: number }) =>
      `it was ended because a line was longer than ${bytes} bytes`,
    endedUnread: 'it did not read what it was told, and was ended',
  },
  zh: {
    menu: {
      mcp: {
        description: '查看 MCP 服务器，以及未采用的工具',
        argument: '',
        help: '`/mcp`：MCP 服务器，以及未采用的工具',
      },
      trust: {
        description: '查看或信任由他人编写的内容',
        argument: '[ID]',
        help: '`/trust ID`、`/distrust ID`：审查由他人编写的内容',
      },
      distrust: { description: '不再信任，或拒绝', argument: 'ID', help: '' },
    },
    noServers: '配置中没有 MCP 服务器：可以在 `mcp_servers` 中添加。',
    whichToDistrust: '不再信任哪一个？发送 `/distrust ID`。`/trust` 会列出 ID。',
    subject: ({ kind, name }) => `${zhKinds[kind]} ${name}`,
    subjectFirst: ({ kind, name }) => `${zhKinds[kind]} ${name}`,
    news: ({ subject, isChanged }) =>
      `🔑 ${subject} ${isChanged ? '在信任之后有改动，已停用，所有者重新信任后才会启用。' : '是新出现的，尚未启用，所有者信任后才会启用。'}`,
    newsOfSeveral: '🔑 以下内容是新出现的，或在信任之后有改动，所有者信任后才会启用：',
    showsAgain: '`/trust` 可以再次查看全部。',
    asked: ({ what, trust, distrust, fingerprint }) =>
      `${what}\n按现状信任：${trust}。拒绝：${distrust}。指纹：${fingerprint}。`,
    nothingAsked: '没有等待信任的内容。',
    offUntilTrusted: '以下内容已停用，所有者信任后才会启用：',
    trustedList: ({ lines }) => ['已信任：', ...lines].join('\n'),
    refusedList: ({ lines }) => ['已拒绝：', ...lines].join('\n'),
    trustedLine: ({ id, subject, by, since }) =>
      `- ${id}：${subject}，${by === undefined ? '依据配置' : `由 ${by} `}于 ${since}信任`,
    refusedLine: ({ subject, trust }) => `- ${subject}：${trust} 可改为信任`,
    endsIt: '`/distrust ID` 可撤销信任。',
    changed: ({ subject, became, undo }) => {
      switch (became) {
        case 'trusted':
          return `🔑 已信任：${subject}。${undo} 可撤销。`;
        case 'distrusted':
          return `不再信任：${subject}。它已停用。`;
        case 'refused':
          return `已拒绝：${subject}。它保持停用。`;
      }
    },
    fitsNothing: ({ isRest }) =>
      `${isRest ? '其余的 ID 没有对应的内容' : '没有对应的内容'}：内容改动后 ID 也会改变。\`/trust\` 会列出它们。`,
    waitsForTrust: ({ count }) => `有 ${count} 项由他人编写的内容等待信任：发送 \`/trust\` 查看。`,
    unusable: ({ why }) => `${why}。`,
    badTool: ({ why }) => `工具的定义有误：${why}。`,
    threw: ({ error }) => `抛出了错误：${error}`,
    threwUnshown: '抛出了无法显示的内容',
    trouble: ({ title, fault }) => `${title}：${fault}`,
    stillStarting: ({ place }) => `${place} 仍在启动。`,
    ended: ({ exitCode, signal, printed, refusals }) =>
      `${exitCode === undefined ? `进程被 ${signal} 结束` : `进程已退出，退出码为 ${exitCode}`}${printed === '' ? '' : `；最后输出的错误：${printed}`}${refusals.map((refusal) => ` ${refusal}`).join('')}`,
    endedForFlood: ({ seconds }) => `输出过多，连续 ${seconds} 秒来不及读取，已被结束`,
    endedForLine: ({ bytes }) => `输出的一行超过 ${bytes} 字节，已被结束`,
    endedUnread: '进程不读取发给它的内容，已被结束',
  },
});

/** Precedes what a program printed last: a log gets what stands before it. */
export const enPrinted = '; the last that it printed as an error was: ';

const enKinds: Readonly<Record<TrustKind, string>> = {
  plugin: 'the plugin',
  channel_plugin: 'the channel plugin',
  tool_module: 'the tool module',
  mcp_tool: 'the MCP tool',
};

const enKindsFirst: Readonly<Record<TrustKind, string>> = {
  plugin: 'The plugin',
  channel_plugin: 'The channel plugin',
  tool_module: 'The tool module',
  mcp_tool: 'The MCP tool',
};

const zhKinds: Readonly<Record<TrustKind, string>> = {
  plugin: '插件',
  channel_plugin: '渠道插件',
  tool_module: '工具模块',
  mcp_tool: 'MCP 工具',
};

interface Why {
  readonly why: string;
}

interface Seconds {
  readonly seconds: number;
}

interface Ended {
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The end of what it printed as an error, or nothing. */
  readonly printed: string;
  /** What the sandbox says of it, in sentences. */
  readonly refusals: readonly string[];
}

interface Subject {
  readonly kind: TrustKind;
  readonly name: string;
}

interface Asked {
  /** What it is and adds, in a few lines. */
  readonly what: string;
  /** The commands that trust and refuse it. */
  readonly trust: string;
  readonly distrust: string;
  readonly fingerprint: string;
}

interface Lines {
  readonly lines: readonly string[];
}

interface TrustedLine {
  readonly id: string;
  readonly subject: string;
  /** Who trusts it; undefined: the config. */
  readonly by: string | undefined;
  readonly since: string;
}

interface Changed {
  readonly subject: string;
  readonly became: TrustChange['became'];
  /** The command that undoes it. */
  readonly undo: string;
}

/** What the config names and is not there. Paths are as they are. */
export const missingWords = catalogue({
  en: {
    noFile: ({ file }: File) => `there is no file ${file}.`,
    noFileAt: ({ file }: File) => `there is no file ${file}. Correct the path.`,
    notInstalled: ({ name, folder }: { readonly name: string; readonly folder: string }) =>
      `it is not installed. Run "npm install ${name}" in ${folder}.`,
    wrongEnding: ({ endings }: { readonly endings: readonly string[] }) =>
      `the name of the file has to end in ${endings.join(', ')}.`,
    unreadable: ({ file }: File) => `${file} cannot be read.`,
    noCode: ({ file, why }: File & Why) => `${file} is no code that Node can run: ${why}.`,
    noJson: ({ file }: File) => `${file} is not JSON.`,
    noProgram: ({ file, program }: File & { readonly program: string }) =>
      `${file} names the program "${program}", which is not there.`,
    noPlugin: ({ plugin }: { readonly plugin: string }) => `there is no plugin "${plugin}" in plugins.plugin_dirs.`,
  },
  zh: {
    noFile: ({ file }) => `没有文件 ${file}。`,
    noFileAt: ({ file }) => `没有文件 ${file}。改正路径。`,
    notInstalled: ({ name, folder }) => `尚未安装。在 ${folder} 中运行 "npm install ${name}"。`,
    wrongEnding: ({ endings }) => `文件名必须以 ${endings.join('、')} 结尾。`,
    unreadable: ({ file }) => `无法读取 ${file}。`,
    noCode: ({ file, why }) => `${file} 不是 Node 能运行的代码：${why}。`,
    noJson: ({ file }) => `${file} 不是 JSON。`,
    noProgram: ({ file, program }) => `${file} 指定的程序 "${program}" 不存在。`,
    noPlugin: ({ plugin }) => `plugins.plugin_dirs 中没有插件 "${plugin}"。`,
  },
});

interface File {
  readonly file: string;
}
