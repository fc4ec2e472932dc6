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
    networkCommand: 'a command that uses the network',
    customTool: (name: string) => `the tool ${name}`,
    workspaceFiles: 'files of the workspace',
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
    networkCommand: '使用网络的命令',
    customTool: (name) => `工具 ${name}`,
    workspaceFiles: '工作区的文件',
    source: (source) => chineseSource(source),
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
