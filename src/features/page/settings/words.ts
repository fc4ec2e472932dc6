import { catalogue } from '../../../lib/words.ts';

/** What the page is told when a setting cannot be shown or changed. */
export const settingsRouteWords = catalogue({
  en: {
    noFile: 'This Keyturn runs without a file for its settings: they are given to it by the program that starts it.',
    badRequest: 'The page and this Keyturn do not understand each other. Load the page again.',
    noVersion: 'This version is gone: the newest ten are kept. Look at the list again.',
    noPlatform: 'There is no such platform.',
    unreadable: ({ code }: { readonly code: string }) =>
      `The file of the settings cannot be read (${code}). See who owns it, and whether this Keyturn may read it.`,
    commandFailed: ({ why }: { readonly why: string }) =>
      why === '' ? 'That did not work, and does not say why.' : why,
  },
  zh: {
    noFile: '这个 Keyturn 没有设置文件：设置由启动它的程序给出。',
    badRequest: '页面和这个 Keyturn 的版本不一致。请重新加载页面。',
    noVersion: '这个版本已经不在了：只保存最新的十个。请重新查看列表。',
    noPlatform: '没有这个平台。',
    unreadable: ({ code }) => `无法读取设置文件（${code}）。查看它属于谁，以及 Keyturn 能不能读取。`,
    commandFailed: ({ why }) => (why === '' ? '没有成功，也没有说明原因。' : why),
  },
});
