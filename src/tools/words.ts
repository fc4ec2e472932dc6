import { apart } from '../lib/settings/words.ts';
import { catalogue } from '../lib/words.ts';

/** A call of a foreign tool: what is called, and the arguments that tell most. As markdown, but for the keys. */
interface ForeignCall {
  readonly what: string;
  readonly args: readonly { readonly key: string; readonly value: string }[];
  readonly more: number;
}

/** Where a tool comes from. `name`: within its kind, or the kind if there is only one. */
interface NamedSource {
  readonly type: 'builtin' | 'custom' | 'composed' | 'plugin' | 'mcp' | 'remote' | 'delegate';
  readonly name: string;
}

/** What is said of any tool. */
export const toolsWords = catalogue({
  en: {
    call: ({ what, args, more }: ForeignCall) => {
      const told = args.map(({ key, value }) => `${key} ${value}`).join(', ');
      return `call ${what}${told === '' ? '' : ` with ${told}`}${more > 0 ? ` and ${more} more` : ''}`;
    },
    noPreview: (error: string) => `⚠️ The tool could not show what it would change: it threw "${error}"`,
    leadsTo: (path: string) => `leads to ${path}`,
    unusable: 'cannot be used',
    missing: 'not there',
    source: (source: NamedSource) => englishSource(source),
  },
  zh: {
    call: ({ what, args, more }) => {
      const told = args.map(({ key, value }) => `${key} ${value}`).join('，');
      return `调用 ${what}${told === '' ? '' : `：${told}`}${more > 0 ? `，以及另外 ${more} 项` : ''}`;
    },
    noPreview: (error) => `⚠️ 工具无法显示将要做的更改，报错：“${error}”`,
    leadsTo: (path) => `指向 ${path}`,
    unusable: '无法使用',
    missing: '不存在',
    source: (source) => chineseSource(source),
  },
});

interface Named {
  readonly name: string;
}

/**
 * Where untrusted content came from. The English is stored and compared: when it changes, sources that were stored before
 * are shown in English to everybody. `name`: as people or their files are called; of what was kept, its own sources.
 */
export const taintSourceWords = catalogue({
  en: {
    somebodysWords: 'words of somebody else',
    words: ({ name }: Named) => `words of ${name}`,
    messages: ({ name }: Named) => `messages of ${name}`,
    somebodysFile: 'a file that somebody sent',
    falsePicture: 'a file that was sent as a picture',
    falseVoiceMessage: 'a file that was sent as a voice message',
    file: ({ name }: Named) => `a file that ${name} sent`,
    earlierWords: 'what Keyturn said before, or elsewhere',
    web: 'the web',
    networkCommand: 'a command that uses the network',
    workspaceFiles: 'files of the workspace',
    memories: ({ name }: Named) => `memories from ${name}`,
    plans: ({ name }: Named) => `plans from ${name}`,
    customTool: ({ name }: Named) => `the tool ${name}`,
    plugin: ({ name }: Named) => `plugin ${name}`,
    mcpServer: ({ name }: Named) => `MCP server ${name}`,
    device: ({ name }: Named) => `device ${name}`,
    webhook: ({ name }: Named) => `webhook ${name}`,
  },
  zh: {
    somebodysWords: '他人的话',
    words: ({ name }) => `${name} 的话`,
    messages: ({ name }) => `${name} 的消息`,
    somebodysFile: '他人发来的文件',
    falsePicture: '当作图片发来的文件',
    falseVoiceMessage: '当作语音消息发来的文件',
    file: ({ name }) => `${name} 发来的文件`,
    earlierWords: 'Keyturn 以前或在别处说过的话',
    web: '网页',
    networkCommand: '使用网络的命令',
    workspaceFiles: '工作区的文件',
    memories: ({ name }) => `记忆，来自${apart(name)}`,
    plans: ({ name }) => `计划，来自${apart(name)}`,
    customTool: ({ name }) => `工具 ${name}`,
    plugin: ({ name }) => `插件 ${name}`,
    mcpServer: ({ name }) => `MCP 服务器 ${name}`,
    device: ({ name }) => `设备 ${name}`,
    webhook: ({ name }) => `webhook ${name}`,
  },
});

function englishSource({ type, name }: NamedSource): string {
  switch (type) {
    case 'plugin':
      return `plugin ${name}`;
    case 'mcp':
      return `MCP server ${name}`;
    case 'remote':
      return `device ${name}`;
    case 'builtin':
    case 'custom':
    case 'composed':
    case 'delegate':
      return name;
  }
}

function chineseSource({ type, name }: NamedSource): string {
  switch (type) {
    case 'plugin':
      return `插件 ${name}`;
    case 'mcp':
      return `MCP 服务器 ${name}`;
    case 'remote':
      return `设备 ${name}`;
    case 'builtin':
      return '内置';
    case 'custom':
      return '自定义';
    case 'composed':
      return '组合';
    case 'delegate':
      return '委派';
  }
}
