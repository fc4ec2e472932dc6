import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

/** What the page and its browser are told. Plain text. */
export const serverWords = catalogue({
  en: {
    notReachable:
      'Other machines cannot reach this page yet. Let a reverse proxy with a certificate lead to it, and name it in gateway.allowed_hosts.',
    nothingHere: 'There is nothing here.',
    notSignedIn: `Nobody is signed in here. Open a new link: /web in a chat, or "${ownCommand()} web" on the machine.`,
    wrongTicket: `This link was used before, or its time is over. Ask for a new one: /web in a chat, or "${ownCommand()} web" on the machine.`,
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
    notReachable: '其他机器还打不开这个网页。用带证书的反向代理指向它，并把名字写进 gateway.allowed_hosts。',
    nothingHere: '这里什么也没有。',
    notSignedIn: `这里没有人登录。请打开新的链接：在聊天里发送 /web，或在运行的机器上执行“${ownCommand()} web”。`,
    wrongTicket: `这个链接已经用过，或者已过期。请要一个新的：在聊天里发送 /web，或在运行的机器上执行“${ownCommand()} web”。`,
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
