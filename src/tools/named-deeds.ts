/*
 * Whether a person's message asks for a deed: for what a tool's name says that it does. `send_email` is asked for by
 * "Mail Bob that …", not by "What does Bob's mail say?". The message must name the deed as a request: a verb where orders
 * stand, in no question, and not denied. Names whose verb is not known here are asked for by no words.
 *
 * A mistake here costs a card or lets a call pass whose values the person has all written: so in doubt, it is no request.
 */

import { whom } from './chinese-orders.ts';
import { type Deed, deeds, type Order } from './deeds.ts';
import { ordersIn } from './person-orders.ts';

/** These are nouns, too: "the post", "my order". */
const nouns =
  /^(?:mail|e-?mail|message|text|answer|reply|note|tip|wire|transfer|refund|share|post|release|tweet|comment|merge|lock|label|tag|star|book|order|plan|move|patch|set|change|update|start|store|purchase|forward|schedule|put|open)$/;

/** Of these, the ones that have numbers: "post 12". */
const numbered =
  /^(?:mail|e-?mail|message|text|answer|reply|note|post|release|tweet|comment|label|tag|order|plan|patch)$/;

/** Money, which is sent by the same verb as a message. */
const money =
  /^(?:money|payments?|funds|cash|transactions?|coins?|crypto|bitcoin|btc|eth|invoices?|refunds?|donation|tips?|salary|bills?|dollars|euros?|sepa|paypal|venmo)$/;

/** The verb of a request of HTTP, as a deed. */
export function httpDeed(method: string): string {
  return `http-${method.toLowerCase()}`;
}

/** Whether the message asks for what the tool's name says. `name`: as `send_email`, `sendEmail` or `http-post`. */
export function asksForDeed(message: string, name: string): boolean {
  return ordersFor(message, name).length > 0;
}

/** The orders of the message that ask for what the tool's name says. */
export function ordersFor(message: string, name: string): readonly Order[] {
  const { main, verbs, rest, isMoney } = partsOf(name);
  if (main === undefined) return [];
  // What else the name says that it does must be named as well.
  const others = verbs.filter((verb) => deedsOf(verb).every((deed) => !deedsOf(main).includes(deed)));
  return ordersIn(message).filter((order) => {
    if (!others.every((verb) => hasWord(order.sentence, verb))) return false;
    if (isMoney && deedsOf(main).some(({ names }) => names.startsWith('send ')))
      return orders(order, payment) || (orders(order, sending) && order.isClear && isAboutMoney(order.text));
    const isVague = deedsOf(main).every((deed) => deed.isVague === true);
    if (isVague && others.some((verb) => deedsOf(verb).some((deed) => orders(order, deed)))) return true;
    return deedsOf(main).some(
      (deed) => orders(order, deed) && (deed.isVague !== true || rest.some((token) => hasWord(order.sentence, token))),
    );
  });
}

/** Whether the tool gives something away, to somebody and in some amount: `pay`, `send_money`, `transfer_repo`. */
export function isPayment(name: string): boolean {
  const { main, isMoney } = partsOf(name);
  return main !== undefined && (isMoney || deedsOf(main).some((deed) => deed === payment));
}

function partsOf(name: string) {
  const tokens = name.startsWith('http-') ? [name] : tokensOf(name);
  const verbs = tokens.filter((token) => deedsOf(token).length > 0);
  const [main] = verbs;
  const rest = tokens.filter(
    (token) => token !== main && !/^(?:to|a|an|the|of|in|for|by|on|from|with|my)$/.test(token),
  );
  return { main, verbs, rest, isMoney: rest.some((token) => money.test(token)) };
}

const named = (verb: string): Deed | undefined => deeds.find(({ names }) => names.split(' ').includes(verb));
const payment = named('pay');
const sending = named('send');

function deedsOf(token: string): readonly Deed[] {
  return deeds.filter(({ names }) => names.split(' ').includes(token));
}

function tokensOf(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((token) => token !== '');
}

function isAboutMoney(text: string): boolean {
  const amount =
    /\p{Sc}\s?\d|\d\s?(?:\p{Sc}|eur|usd|gbp|chf|euros?|dollars?|pounds?|yuan|元|块)|\bsend \d+(?:[.,]\d{1,2})? to /u;
  return (
    (/\b(?:money|payment|funds|refund|difference|back)\b/.test(text) || amount.test(text)) &&
    !/\b(?:e-?mail|mail|message|letter|note)\b/.test(text)
  );
}

/** Other words for what is acted on. */
const likeNouns: readonly (readonly string[])[] = [
  ['event', 'appointment', 'meeting', '日程', '会议', '活动'],
  ['transaction', 'payment', 'order', '交易', '付款'],
  ['info', 'information', 'details', 'data', '信息'],
  ['file', 'document', '文件'],
  ['issue', 'ticket', '问题'],
  ['user', 'member', 'person', '用户', '成员'],
  ['channel', '频道'],
  ['password', '密码'],
  ['contact', '联系人'],
];

function hasWord(text: string, token: string): boolean {
  const stem = token.replace(/s$/, '');
  const words = likeNouns.find((group) => group.includes(stem)) ?? [stem];
  return words.some((word) =>
    /^[a-z]/.test(word)
      ? new RegExp(`(?<![\\p{L}])${word}(?:s|es|ing|ed|ment|ation)?(?![\\p{L}])`, 'u').test(text)
      : text.includes(word),
  );
}

/** What follows a noun: "the issue and comment of Bob", "Wire transfer", "pay attention". */
const notNoun =
  '(?! (?:of|by|from|at|is|are|was|were|has|had|says?|said|about|history|status|number|no|due|transfers?|requests?|requested|received|failed|pending|confirmation|confirmed|reminder|fees?|attention|heed)(?!\\p{L}))';
/** To oneself: that is an answer, not a deed. And what is written down or out. */
const notToMe = '(?! (?:me|us|down|up|out|off)(?![\\p{L}/._-]))';
const notForMe = `${notToMe}(?! (?:an?|the|some|my|your) (?:\\p{L}{1,20} ){0,2}(?:summary|poem|haiku|story|song|list|text|joke|report|draft|essay|code|script|test|overview)(?!\\p{L}))`;
/** What follows a verb that could be a noun. */
const object =
  '(?= (?:a|an|the|this|that|it|them|him|her|to|on|my|our|his|their|all|everything|there|back|each|every|["\'“…#@{]|\\p{L}*[\\d@]|[\\w.-]+\\/))';

/** Whether an order is one for this deed, and may be: on a condition only where it is the person's own affair. */
function orders(order: Order, deed: Deed | undefined): boolean {
  if (deed === undefined || !isMeant(order, deed)) return false;
  if (order.language === 'zh') return ordersInChinese(order.text, deed.zh.split(' '));
  if (deed.said.split(' ').some((verb) => ordersInEnglish(order, verb))) return true;
  return deed.names.startsWith('book ') && /^make (?:me )?an? (?:reservation|booking)\b/.test(order.text);
}

function isMeant({ isClear, depends, mayDepend }: Order, { isOwnAffair, isMessage }: Deed): boolean {
  if (isOwnAffair === true) return true;
  return isMessage === true ? !depends : isClear && !mayDepend;
}

function ordersInEnglish({ text, isJoined }: Order, verb: string): boolean {
  const has = (pattern: string): boolean => new RegExp(`^["'“(]?${pattern}`, 'u').test(text);
  if (verb === 'let') return has("let (?!me |us |'s)[\\p{L}\\p{N} @.:_-]{1,60} know(?!\\p{L})");
  const end = `(?![\\p{L}\\p{N}'_-])${notNoun}${verb === 'remind' ? '' : verb === 'write' ? notForMe : notToMe}`;
  if (!nouns.test(verb)) return has(`${verb}${end}`);
  return has(`${verb}${end}${numbered.test(verb) ? '(?! #?\\d)' : ''}${isJoined ? object : ''}`);
}

/** The longest verb counts: 付款了 is no 付. */
function ordersInChinese(text: string, verbs: readonly string[]): boolean {
  const found = verbs
    .toSorted((one, other) => other.length - one.length)
    .map((verb) => new RegExp(`^${nounsInChinese.test(verb) ? '' : whom}${verb}`, 'u').exec(text)?.[0])
    .find((words) => words !== undefined);
  return found !== undefined && !/^[的了过]/u.test(text.slice(found.length));
}

const nounsInChinese = /^(?:评论|发布|分享|提醒|通知|回复|预订|安排|标记)$/;
