import { catalogue } from '../../lib/words.ts';
import type { Refusal } from './tally.ts';

/** Webhooks, for owners. `name`, `chat` are markdown in `/status`. */
export const webhookWords = catalogue({
  en: {
    heading: 'Webhooks:',
    unknownChat: ({ name, chat }: { readonly name: string; readonly chat: string }) =>
      `The webhook ${name} cannot speak in ${chat} yet: nobody has written to Keyturn there. Write there once.`,
    line: ({ name, chat, taken, last, refused }: Line) =>
      `- ${name} in ${chat}: ${taken} taken${last === undefined ? '' : `, the last ${enMoment(last)}`}${refused === undefined ? '' : `; ${refused.count} refused since the start, the last ${enMoment(refused.last)}: ${enRefusals[refused.why]}`}`,
  },
  zh: {
    heading: 'Webhook：',
    unknownChat: ({ name, chat }) =>
      `Webhook ${name} 还不能在 ${chat} 中说话：那里还没有人给 Keyturn 发过消息。在那里发一条消息即可。`,
    line: ({ name, chat, taken, last, refused }) =>
      `- ${name}，在 ${chat} 中：已接收 ${taken} 个请求${last === undefined ? '' : `，最近一个：${last.moment}`}${refused === undefined ? '' : `；启动后拒绝了 ${refused.count} 个，最近一个：${refused.last.moment}，${zhRefusals[refused.why]}`}`,
  },
});

/** A time of this day, or another day. */
interface Moment {
  readonly isToday: boolean;
  readonly moment: string;
}

interface Line {
  readonly name: string;
  readonly chat: string;
  readonly taken: number;
  readonly last: Moment | undefined;
  readonly refused: { readonly count: number; readonly last: Moment; readonly why: Refusal } | undefined;
}

function enMoment({ isToday, moment }: Moment): string {
  return `${isToday ? 'at' : 'on'} ${moment}`;
}

const enRefusals: Readonly<Record<Refusal, string>> = {
  late: 'signed too long ago',
  'wrong-signature': 'wrong signature',
  'too-long': 'The body is too long.',
  compressed: 'The body is compressed: send it as it is.',
  'not-utf8': 'The body is not UTF-8.',
  'not-json': 'The body is not JSON.',
  'too-deep': 'The JSON is nested too deeply.',
  'too-many': 'Too many deliveries in a minute.',
  'not-stored': 'it could not be stored',
  'no-chat': 'nobody has written in its chat yet',
};

const zhRefusals: Readonly<Record<Refusal, string>> = {
  late: '签名的时间太早',
  'wrong-signature': '签名不对',
  'too-long': '正文太长',
  compressed: '正文经过压缩，应按原样发送',
  'not-utf8': '正文不是 UTF-8',
  'not-json': '正文不是 JSON',
  'too-deep': 'JSON 嵌套太深',
  'too-many': '一分钟内的请求太多',
  'not-stored': '无法存储',
  'no-chat': '还没有人在它的聊天中发过消息',
};
