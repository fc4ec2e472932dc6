import { catalogue } from '../../lib/words.ts';

interface LinkWords {
  readonly url: string;
  /** How long it is good. */
  readonly lifetime: string;
}

/** What people read of the page in chats. Markdown. */
export const pageWords = catalogue({
  en: {
    menu: {
      web: {
        description: 'Open me in a browser',
        argument: '',
        help: '`/web`: a link that opens me in a browser',
      },
    },
    link: ({ url, lifetime }: LinkWords) =>
      `🌐 ${url}\n\nIt signs you in once, within ${lifetime}. Show it to nobody: it lets any browser in as you.`,
    linkHere: ({ url, lifetime }: LinkWords) =>
      `🌐 ${url}\n\nIt works on the machine where I run, once, within ${lifetime}. Show it to nobody: it lets any browser in as you. To open me from other machines, see \`gateway.allowed_hosts\` in my config.`,
    signedIn: ({ name, undo }: { readonly name: string; readonly undo: string }) =>
      `🌐 Signed in: ${name}. If that was not you, end it with ${undo}.`,
    notHere: 'Write that to me in a chat of our own: the link is not for a group to read.',
    notFromDevice: 'Ask for that in another chat, not on a device or in a browser that was let in itself.',
    unknownPerson:
      'You may talk to me because everybody may; the page is only for people I know. An owner can let you in.',
    isOff: 'The page is off: `page.enabled` in my config is false.',
  },
  zh: {
    menu: {
      web: {
        description: '在浏览器中打开我',
        argument: '',
        help: '`/web`：在浏览器中打开我的链接',
      },
    },
    link: ({ url, lifetime }) => `🌐 ${url}\n\n链接在${lifetime}内可登录一次。打开它的人在这里就是你：不要给任何人看。`,
    linkHere: ({ url, lifetime }) =>
      `🌐 ${url}\n\n链接只在运行我的机器上有效，${lifetime}内可登录一次。打开它的人在这里就是你：不要给任何人看。要从其他机器打开，见配置中的 \`gateway.allowed_hosts\`。`,
    signedIn: ({ name, undo }) => `🌐 已登录：${name}。如果不是你本人操作，用 ${undo} 撤销。`,
    notHere: '在和我的私聊里发这条命令：链接不适合在群里公开。',
    notFromDevice: '换一个聊天再试：不能在已配对的设备或浏览器上操作。',
    unknownPerson: '你能和我对话，是因为任何人都可以；网页只供我认识的人使用。所有者可以允许你。',
    isOff: '网页已关闭：配置中的 `page.enabled` 是 false。',
  },
});
