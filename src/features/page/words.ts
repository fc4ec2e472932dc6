import { catalogue } from '../../lib/words.ts';

interface LinkWords {
  readonly url: string;
  /** How long it is good. */
  readonly lifetime: string;
}

/** What people read of the page in chats, and what it is told when something is not done. */
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
      `🌐 ${url}\n\nIt signs you in once, within ${lifetime}. Whoever opens it is you here: show it to nobody.`,
    linkHere: ({ url, lifetime }: LinkWords) =>
      `🌐 ${url}\n\nIt works on the machine where I run, once, within ${lifetime}. Whoever opens it is you here: show it to nobody. To open me from other machines, see \`gateway.allowed_hosts\` in my config.`,
    notHere: 'Write that to me in a chat of our own: the link is not for a group to read.',
    notFromDevice: 'Ask for that in another chat, not on a device or in a browser that was let in itself.',
    unknownPerson:
      'You may talk to me because everybody may; the page is only for people I know. An owner can let you in.',
    isOff: 'The page is off: `page.enabled` in my config is false.',
    notReachable:
      'Other machines cannot reach this page yet. Let a reverse proxy with a certificate lead to it, and name it in gateway.allowed_hosts.',
    nothingHere: 'There is nothing here.',
    notSignedIn: 'Nobody is signed in here. Open a new link: /web in a chat, or "keyturn web" on the machine.',
    wrongTicket:
      'This link was used before, or its time is over. Ask for a new one: /web in a chat, or "keyturn web" on the machine.',
    notLetIn: 'This person may not open the page, or has too many browsers.',
    tooManyTries: ({ seconds }: { readonly seconds: number }) => `Too many wrong links. Try again in ${seconds} s.`,
    notJson: 'The body must be JSON.',
    tooLong: 'The body is too long.',
    wrongLanguage: 'Say "en" or "zh".',
    notFromElsewhere: 'Pages from elsewhere cannot sign anybody in.',
    notBuilt: ({ folder }: { readonly folder: string }) =>
      `This Keyturn came without its page. In a clone, run "npm install" and then "npm run build:page" in ${folder}; of a package, install it again.`,
    buildFailed: ({ folder }: { readonly folder: string }) =>
      `Building the page has failed. Run "npm run build:page" in ${folder}: it says why. Then load this again.`,
    fault: 'Something went wrong inside Keyturn. It is in the log.',
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
    notHere: '在和我的私聊里发这条命令：链接不适合在群里公开。',
    notFromDevice: '换一个聊天再试：不能在已配对的设备或浏览器上操作。',
    unknownPerson: '你能和我对话，是因为任何人都可以；网页只供我认识的人使用。所有者可以允许你。',
    isOff: '网页已关闭：配置中的 `page.enabled` 是 false。',
    notReachable: '其他机器还打不开这个网页。用带证书的反向代理指向它，并把名字写进 gateway.allowed_hosts。',
    nothingHere: '这里什么也没有。',
    notSignedIn: '这里没有人登录。请打开新的链接：在聊天里发送 /web，或在运行的机器上执行“keyturn web”。',
    wrongTicket: '这个链接已经用过，或者已过期。请要一个新的：在聊天里发送 /web，或在运行的机器上执行“keyturn web”。',
    notLetIn: '这个人不能打开网页，或者浏览器太多。',
    tooManyTries: ({ seconds }) => `错误的链接太多。${seconds} 秒后再试。`,
    notJson: '正文必须是 JSON。',
    tooLong: '正文太长。',
    wrongLanguage: '请用 "en" 或 "zh"。',
    notFromElsewhere: '其他来源的网页不能登录。',
    notBuilt: ({ folder }) =>
      `这个 Keyturn 没有附带网页。如果是克隆的源码，在 ${folder} 中运行“npm install”，再运行“npm run build:page”；如果是安装包，请重新安装。`,
    buildFailed: ({ folder }) => `网页构建失败。在 ${folder} 中运行“npm run build:page”查看原因，然后重新加载。`,
    fault: 'Keyturn 内部出错，详情在日志中。',
  },
});
