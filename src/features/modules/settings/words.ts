import { catalogue } from '../../../lib/words.ts';

/** What is wrong with files of tools and channels in the config. Paths are as they are. */
export const moduleSettingWords = catalogue({
  en: {
    ownName: 'Keyturn uses this name itself. Give the channel another.',
    onlyPlugged:
      "only channels from channel_plugins are enabled: one that is new or has changed can't be trusted in any chat. Enable another channel.",
    noFileAt: ({ file }: File) => `there is no file ${file}. Correct the path.`,
    notInstalled: ({ name, folder }: { readonly name: string; readonly folder: string }) =>
      `it is not installed. Run "npm install ${name}" in ${folder}.`,
    wrongEnding: ({ endings }: { readonly endings: readonly string[] }) =>
      `the name of the file has to end in ${endings.join(', ')}.`,
    unreadable: ({ file }: File) => `${file} cannot be read.`,
    noCode: ({ file, why }: File & Why) => `${file} is no code that Node can run: ${why}.`,
    channelName: 'expected a name of small letters, digits and "-", as the channel calls itself',
    packageName: 'expected the name of an npm package',
  },
  zh: {
    ownName: 'Keyturn 自己使用这个名称。给渠道换一个。',
    onlyPlugged: '只开启了 channel_plugins 中的渠道：新的或有改动的渠道，没有聊天可以确认信任。另外开启一个渠道。',
    noFileAt: ({ file }) => `没有文件 ${file}。改正路径。`,
    notInstalled: ({ name, folder }) => `尚未安装。在 ${folder} 中运行 "npm install ${name}"。`,
    wrongEnding: ({ endings }) => `文件名必须以 ${endings.join('、')} 结尾。`,
    unreadable: ({ file }) => `无法读取 ${file}。`,
    noCode: ({ file, why }) => `${file} 不是 Node 能运行的代码：${why}。`,
    channelName: '应为由小写字母、数字和 "-" 组成的名称，即渠道自己的名称',
    packageName: '应为 npm 包的名称',
  },
});

interface File {
  readonly file: string;
}

interface Why {
  readonly why: string;
}
