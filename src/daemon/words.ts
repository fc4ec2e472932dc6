import { inlineCode } from '../lib/plain-text.ts';
import { catalogue } from '../lib/words.ts';

/** For owners, about the config and its channels. */
export const daemonWords = catalogue({
  en: {
    channelFails: ({ channel, reason }: { readonly channel: string; readonly reason: string }) =>
      `The channel ${channel} does not work: ${reason}`,
    channelConnects: ({ channel }: { readonly channel: string }) => `The channel ${channel} is still connecting.`,
    editPartFailed: ({ why }: { readonly why: string }) => `⚠️ A part of your edit could not be started. ${why}`,
    configInOrder: '✅ The config file is in order again.',
    configUnusable: 'The config cannot be used as it is now. Keyturn continues with the last one that worked.',
    moreFaults: ({ count }: { readonly count: number }) => `… and ${count} more.`,
    atNextStart: ({ keys }: { readonly keys: readonly string[] }) =>
      `The new value of ${keys.map(inlineCode).join(', ')} takes effect when I am restarted.`,
    noGateway: 'This Keyturn has no gateway: nothing can be opened in a browser.',
    noChannelLeft:
      'The config was edited: no channel is on any more, so nobody could talk to Keyturn, and it ends. Switch one on in the config, and start it again.',
  },
  zh: {
    channelFails: ({ channel, reason }) => `渠道 ${channel} 无法工作：${reason}`,
    channelConnects: ({ channel }) => `渠道 ${channel} 还在连接。`,
    editPartFailed: ({ why }) => `⚠️ 你的配置修改有一部分未能生效。${why}`,
    configInOrder: '✅ 配置文件已恢复正常。',
    configUnusable: '配置目前无法使用。Keyturn 继续使用上一份可用的配置。',
    moreFaults: ({ count }) => `……还有 ${count} 处。`,
    atNextStart: ({ keys }) => `${keys.map(inlineCode).join('、')} 的新值在我重启后生效。`,
    noGateway: '这个 Keyturn 没有网关，不能在浏览器中打开任何内容。',
    noChannelLeft:
      '修改后的配置没有开启任何渠道，没有人能和 Keyturn 对话，所以它会退出。在配置中开启一个渠道，再重新启动。',
  },
});
