import { catalogue } from '../../../lib/words.ts';

interface Link {
  readonly url: string;
}

/** The link to the page in a browser. Plain text. */
export const webWords = catalogue({
  en: {
    command: {
      summary: 'print a link that opens Keyturn in a browser',
      more: 'The link signs you in once, within ten minutes. Show it to nobody: it lets any browser in as you.',
    },
    qr: 'also as a code for the camera of a phone, if other machines reach Keyturn',
    link: ({ url }: Link) =>
      `${url}\nIt signs you in once, within ten minutes. Show it to nobody: it lets any browser in as you.`,
    elsewhere: ({ url }: Link) => `From other machines: ${url}`,
    notReachable:
      'Other machines cannot reach it, so there is no code for a phone: let a reverse proxy with a certificate lead to it, and name it in gateway.allowed_hosts.',
    tooNarrow: 'The terminal is too narrow for the code, or shows no colours.',
    fromTool: 'No tool signs anybody in: do it in a terminal of your own.',
  },
  zh: {
    command: {
      summary: '打印在浏览器中打开 Keyturn 的链接',
      more: '链接在十分钟内可登录一次：打开它的人就是你。',
    },
    qr: '同时显示手机扫描的二维码（如果其他机器能访问 Keyturn）',
    link: ({ url }) => `${url}\n链接在十分钟内可登录一次。打开它的人就是你。`,
    elsewhere: ({ url }) => `从其他机器打开：${url}`,
    notReachable: '其他机器无法访问，所以没有给手机的二维码：用带证书的反向代理指向它，并写进 gateway.allowed_hosts。',
    tooNarrow: '终端太窄，或者不支持颜色，无法显示二维码。',
    fromTool: '工具的命令不能登录。请在你自己的终端里执行。',
  },
});
