/*
 * Chinese orders in a sentence: at its beginning, behind "请" or "帮我" and whom it is for ("给小王发邮件", "把它发给小王"), and in
 * the parts that follow such an order.
 */

import { deeds, type Order } from './deeds.ts';
import { dependsOnSomething, isReported } from './moods.ts';

/** The orders in a sentence. `isAfterReport`: the sentence before it reports what somebody says. */
export function chineseOrders(sentence: string, isAfterReport: boolean): readonly Order[] {
  if (!/\p{Script=Han}/u.test(sentence)) return [];
  // Japanese and Korean have other words for the same deeds, and other denials.
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(sentence)) return [];
  const text = sentence
    .replaceAll(/(?<=\p{Script=Han}) +| +(?=\p{Script=Han})/gu, '')
    .replaceAll(/(?<=[^，,])(?=然后|接着|并且|随后)/gu, '，');
  const orders: Order[] = [];
  let [isJoined, before, depends] = [false, '', false];
  for (const { 0: part, 1: mark = '' } of text.matchAll(/([，,、：；;。]|:(?!\/))?(?:[^，,、：:；;。]|:(?=\/))+/gu)) {
    const clause = part.slice(mark.length);
    const isContent = /[：:]/.test(mark)
      ? !/^(?:请|帮|麻烦|任务|待办|步骤)/u.test(before) || shown.test(before)
      : false;
    const told =
      /(?:告诉|通知|提醒|回复|转告|说|写道)[^，,：:]{0,20}$/u.test(before) || /^(?:说|让|叫|要|问)/u.test(clause);
    if (isContent || (told && before !== '')) break;
    const order = orderOf(clause, isJoined);
    if (order === undefined && !isJoined) {
      depends ||= dependsOnSomething(clause, true);
      // What stands before an order leads to it only if it is a condition, a time, a place or a greeting.
      if (!depends && !/^(?:你好|您好|嗨|好的?|对了|另外|今天|明天|现在|谢谢|关于|对于|在|@)/u.test(clause)) break;
    }
    before = clause;
    if (order === undefined) continue;
    const isPast = /(?:已经|已|刚刚?|昨天|前天|上周|上个?月|去年|曾经?)/u.test(text) || /[了过]$/u.test(order);
    orders.push({
      text: order,
      isJoined: false,
      depends: depends || dependsOnSomething(text, false),
      mayDepend: depends || dependsOnSomething(text, true),
      isClear: !(isPast || isPlan.test(text) || isReported(text) || (isAfterReport && !/[请帮]|麻烦/u.test(clause))),
      sentence: text,
      language: 'zh',
    });
    isJoined = true;
  }
  return orders;
}

/** What stands behind its colon is looked at. */
const shown = /[看读翻解查]|这[句段条封]|内容|润色|总结/u;
/** Told of oneself. */
const isPlan = /^(?:我(?:今天|明天)?(?:想|要|需要|打算|准备))(?!让|请|叫|你)/u;

/** Where the content of what somebody is told begins; undefined if the sentence does not begin with such an order. */
export function toldFromInChinese(sentence: string): number | undefined {
  return told.exec(sentence)?.[0].length;
}

const told =
  /^(?:请|帮我|麻烦你?)*(?:(?:告诉|通知|转告|回复)[^，,：:。我他她你您不没别]{1,20}(?=[：:，,我他她])|给[^，,：:。我不没别]{1,20}(?:发|写)[^，,：:。我不没别]{0,6}(?=[：:，,]|说))/u;

/** The clause from where the order begins: whom it is for, or its verb. Undefined if it is none. */
function orderOf(clause: string, isJoined: boolean): string | undefined {
  const [words = ''] = leads.exec(clause) ?? [];
  const order = clause.slice(words.length);
  const isOpened = /请|帮|麻烦|能|可以|我要|我想|需要/u.test(words);
  return isOpened || startsWithVerb.test(order) || (isJoined && startsWithVerb.test(order)) ? order : undefined;
}

const leads =
  /^(?:能不能|可不可以|可以|能|你能|请你?|请?帮我?忙?|麻烦你?|劳驾|你|我想让你|我要你|我需要你|我想|我要|我需要|然后|再|并且?|接着|现在|马上|立刻|立即|赶紧|今天|明天|今晚|就|也|先|最后|顺便|另外|直接|好的?|一下)*/u;

/** Verbs of deeds, and of what an assistant is told to read. */
const verbs = [
  ...deeds.flatMap(({ zh }) => zh.split(' ')),
  ...'看 读 查 总结 找 搜索 搜 打开 检查 比较 列出 显示 下载 翻译 分析 整理 执行 做 完成 确认 核对 处理 计算 运行 生成 起草 写'.split(
    ' ',
  ),
];

/** The persons or things that it is done to, before the verb. "给我" is no deed for others. */
export const whom = '(?:(?:给(?!我)|向|把|将|从|用)[^，,。；;]{1,60}?)?';
const startsWithVerb = new RegExp(`^${whom}(?:${verbs.join('|')})`, 'u');
