import { inlineCode } from '../../lib/plain-text.ts';
import { catalogue } from '../../lib/words.ts';

/** `name`: of the person who wrote, or of the group if it has one, as code. */
export type NamedChat =
  | { readonly kind: 'direct'; readonly name: string }
  | { readonly kind: 'group'; readonly name: string | undefined };

/** `others`: so many other chats, not one of them. */
interface Late {
  readonly where: NamedChat | { readonly others: number };
  readonly count: number;
}

/** For owners: channels that do not work, time without a process, a store that takes nothing. */
export const healthWords = catalogue({
  en: {
    channelNeedsYou: ({ channel, reason }: { readonly channel: string; readonly reason: string }) =>
      `⚠️ The channel ${inlineCode(channel)} needs you. ${reason}`,
    channelWorks: ({ channel, time }: { readonly channel: string; readonly time: string }) =>
      `✅ The channel ${inlineCode(channel)} works again, after ${time}.`,
    silent: ({ time }: { readonly time: string }) =>
      `It has fallen silent: nothing was heard from it for ${time}. It is being reconnected.`,
    silentStill: ({ reason }: { readonly reason: string }) =>
      `It has fallen silent and could not be started again, which is tried again later: ${reason}`,
    retried: ({ reason }: { readonly reason: string }) =>
      `${reason} It is tried again and again, at least every 15 minutes.`,
    away: ({ time, from, until }: { readonly time: string; readonly from: string; readonly until: string }) =>
      `I was away for ${time}, from ${from} to ${until}.`,
    withTakenUp: ({ first }: { readonly first: string }) => `${first} What waited meanwhile is taken up now:`,
    late: ({ where, count }: Late) => {
      const messages = count === 1 ? '1 message' : `${count} messages`;
      if ('others' in where) return `${messages} in ${where.others} other chats`;
      if (where.kind === 'direct') return `${messages} from ${where.name}`;
      return where.name === undefined ? `${messages} in a group` : `${messages} in the group ${where.name}`;
    },
    dayAndTime: ({ day, time }: { readonly day: string; readonly time: string }) => `${day}, ${time}`,
    storesAgain: '✅ I can store again what comes in.',
  },
  zh: {
    channelNeedsYou: ({ channel, reason }) => `⚠️ 渠道 ${inlineCode(channel)} 需要你处理。${reason}`,
    channelWorks: ({ channel, time }) => `✅ 渠道 ${inlineCode(channel)} 恢复工作，中断了 ${time}。`,
    silent: ({ time }) => `它没有动静了：已有 ${time}没有收到任何消息。正在重新连接。`,
    silentStill: ({ reason }) => `它没有动静了，重新启动也失败，稍后再试：${reason}`,
    retried: ({ reason }) => `我会不断重试，至少每 15 分钟一次。原因：${reason}`,
    away: ({ time, from, until }) => `我离开了 ${time}，从 ${from} 到 ${until}。`,
    withTakenUp: ({ first }) => `${first}这段时间里的消息现在开始处理：`,
    late: ({ where, count }) => {
      if ('others' in where) return `其他 ${where.others} 个聊天中的 ${count} 条消息`;
      if (where.kind === 'direct') return `${where.name} 的 ${count} 条消息`;
      return where.name === undefined ? `一个群里的 ${count} 条消息` : `群 ${where.name} 中的 ${count} 条消息`;
    },
    dayAndTime: ({ day, time }) => `${day} ${time}`,
    storesAgain: '✅ 收到的内容又可以存储了。',
  },
});
