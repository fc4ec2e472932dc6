import { catalogue } from '../../../lib/words.ts';

/** What is wrong with servers in the config. Paths are as they are. */
export const mcpSettingWords = catalogue({
  en: {
    programAlone: ({ name }: { readonly name: string }) =>
      `mcp_servers.${name}.command is a program alone: write its arguments into args.`,
    noFile: ({ file }: File) => `there is no file ${file}.`,
    serverName: 'a name of at most 32 letters, digits, "_" or "-": its tools begin with it',
    commandOrUrl: 'expected "command", or "url" in its place',
    noEffect: ({ with: key }: { readonly with: string }) => `this has no effect with "${key}". Remove it`,
    ownFolder: 'expected a folder of its own: with sandbox, it may write there',
  },
  zh: {
    programAlone: ({ name }) => `mcp_servers.${name}.command 只能是程序：把它的参数写进 args。`,
    noFile: ({ file }) => `没有文件 ${file}。`,
    serverName: '名称最多有 32 个字母、数字、"_" 或 "-"：它的工具以此开头',
    commandOrUrl: '应为 "command"，或改用 "url"',
    noEffect: ({ with: key }) => `有 "${key}" 时这一项不起作用。删去它`,
    ownFolder: '应为它专用的文件夹：启用 sandbox 时，它可以写那里',
  },
});

interface File {
  readonly file: string;
}
