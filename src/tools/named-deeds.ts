/*
 * Whether a person's message asks for a deed: for what a tool's name says that it does. `send_email` is asked for by
 * "Mail Bob that …", not by "What does Bob's mail say?". The message must name the deed as a request: a verb where orders
 * stand, in no question, and not denied. Names whose verb is not known here are asked for by no words.
 *
 * A mistake here costs a card or lets a call pass whose values the person has all written: so in doubt, it is no request.
 */

import { withoutQuotes } from './quoted-words.ts';

/** Verbs of tools, and how people ask for them. Several groups may share a verb. */
interface Deed {
  /** The words in names of tools. */
  readonly names: string;
  /** English, as orders are given. Those that are nouns, too, count at the beginning of a clause only. */
  readonly said: string;
  /** The same in Chinese. */
  readonly zh: string;
  /** It is clear only with what is done it to: `create_event` needs an event. */
  readonly isVague?: boolean;
}

const deeds: readonly Deed[] = [
  {
    names: 'send mail email message notify tell write dm text forward reply respond answer speak',
    said: 'send mail e-?mail message notify tell write text forward reply respond answer inform post let',
    zh: '发送 发给 发邮件 发消息 发信 寄 告诉 通知 回复 转发 写信',
  },
  {
    names: 'pay refund donate tip wire remit transfer',
    said: 'pay refund donate tip wire remit transfer',
    zh: '支付 付款 付给 付 转账 转给 汇款 汇 退款',
  },
  {
    names: 'remember store memorize memorise keep save',
    said: 'remember keep note memorize memorise save store write',
    zh: '记住 记下 记得 保存',
  },
  { names: 'remind', said: 'remind', zh: '提醒' },
  { names: 'share', said: 'share', zh: '分享 共享' },
  { names: 'invite', said: 'invite', zh: '邀请' },
  { names: 'post publish release tweet toot', said: 'post publish release tweet toot', zh: '发布 发表 公开' },
  { names: 'comment', said: 'comment', zh: '评论' },
  { names: 'merge', said: 'merge', zh: '合并' },
  { names: 'close resolve', said: 'close resolve', zh: '关闭' },
  { names: 'reopen', said: 'reopen re-open', zh: '重新打开' },
  { names: 'lock', said: 'lock', zh: '锁定' },
  { names: 'unlock', said: 'unlock', zh: '解锁' },
  { names: 'approve accept', said: 'approve accept', zh: '批准 接受' },
  { names: 'reject decline', said: 'reject decline', zh: '拒绝' },
  { names: 'upload', said: 'upload', zh: '上传' },
  { names: 'assign', said: 'assign', zh: '指派 分配' },
  { names: 'join', said: 'join', zh: '加入' },
  { names: 'leave', said: 'leave', zh: '退出' },
  { names: 'subscribe', said: 'subscribe', zh: '订阅' },
  { names: 'unsubscribe', said: 'unsubscribe', zh: '退订' },
  { names: 'book reserve', said: 'book reserve', zh: '预订 预定 订' },
  { names: 'buy order purchase', said: 'buy order purchase', zh: '购买 买' },
  { names: 'cancel', said: 'cancel', zh: '取消' },
  { names: 'reschedule', said: 'reschedule', zh: '改期' },
  { names: 'schedule plan', said: 'schedule plan', zh: '安排' },
  { names: 'move', said: 'move', zh: '移动 移到' },
  { names: 'rename', said: 'rename', zh: '重命名' },
  { names: 'delete remove', said: 'delete remove', zh: '删除 移除' },
  { names: 'star', said: 'star', zh: '标星' },
  { names: 'label tag', said: 'label tag', zh: '标记' },
  { names: 'append', said: 'append add', zh: '追加 添加', isVague: true },
  {
    names: 'create add make new open insert',
    said: 'create add make open insert start set\\s?up',
    zh: '创建 新建 添加 加',
    isVague: true,
  },
  {
    names: 'update set change edit modify adjust patch put',
    said: 'update set change edit modify adjust correct',
    zh: '更新 修改 改',
    isVague: true,
  },
  // Methods of HTTP, which are named as such.
  { names: 'http-post', said: 'post send submit', zh: '提交 发送' },
  { names: 'http-put', said: 'put replace', zh: '替换' },
  { names: 'http-patch', said: 'patch', zh: '修补' },
  { names: 'http-delete', said: 'delete', zh: '删除' },
];

/** These are nouns, too: "the post", "my order". */
const nouns =
  /^(?:mail|e-?mail|message|text|answer|reply|note|tip|wire|transfer|refund|share|post|release|tweet|comment|merge|lock|label|tag|star|book|order|plan|move|patch|set|change|update|start|store|purchase|forward|schedule|put|open)$/;

/** Of these, the ones that have numbers: "post 12". */
const numbered =
  /^(?:mail|e-?mail|message|text|answer|reply|note|post|release|tweet|comment|label|tag|order|plan|patch)$/;

/** Money, which is sent by the same verb as a message. */
const money = /^(?:money|payment|payments|funds|cash|transaction|coins?|crypto|bitcoin|invoice)$/;

/** The verb of a request of HTTP, as a deed. */
export function httpDeed(method: string): string {
  return `http-${method.toLowerCase()}`;
}

/** Whether the message asks for what the tool's name says. `name`: as `send_email`, `sendEmail` or `http-post`. */
export function asksForDeed(message: string, name: string): boolean {
  const tokens = name.startsWith('http-') ? [name] : tokensOf(name);
  const verbs = tokens.filter((token) => deedsOf(token).length > 0);
  const [main] = verbs;
  if (main === undefined) return false;
  const rest = tokens.filter(
    (token) => token !== main && !/^(?:to|a|an|the|of|in|for|by|on|from|with|my)$/.test(token),
  );
  // What else the name says that it does must be named as well.
  const others = verbs.filter((verb) => deedsOf(verb).every((deed) => !deedsOf(main).includes(deed)));
  return requestsIn(message).some((request) => {
    if (!others.every((verb) => hasWord(request.whole, verb))) return false;
    if (rest.some((token) => money.test(token)) && deedsOf(main).some(({ names }) => names.startsWith('send ')))
      return orders(request, payment) || (orders(request, sending) && isAboutMoney(request.text));
    const isVague = deedsOf(main).every((deed) => deed.isVague === true);
    if (isVague && others.some((verb) => deedsOf(verb).some((deed) => orders(request, deed)))) return true;
    return deedsOf(main).some(
      (deed) => orders(request, deed) && (deed.isVague !== true || rest.some((token) => hasWord(request.whole, token))),
    );
  });
}

/** Whether some sentence of the message is no question. */
export function asksForSomething(message: string): boolean {
  return requestsIn(message).length > 0;
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

/** A sentence that asks for something, in lower case. `whole`: with what it quotes. */
interface Request {
  readonly text: string;
  readonly whole: string;
}

/** A longer sentence is none that a person has written as an order. */
const longestRequest = 2_000;

/** The sentences that are no questions, or are questions in form only ("Can you …?"), and deny nothing. */
function requestsIn(message: string): readonly Request[] {
  const plain = message
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u2018\u2019\u00b4]|(?<=n)`(?=t)/g, "'");
  const own = withoutQuotes(plain);
  if (isTakenBack.test(own)) return [];
  let [at, isListDenied] = [0, false];
  return own.split(/(?<=[.!?。！？;；])(?=\s|\p{Script=Han}|$)|(?<=\n)|(?<=[?？！。])/u).flatMap((piece) => {
    const whole = plain.slice(at, at + piece.length);
    at += piece.length;
    const item = /^\s*(?:\d{1,2}[.)]|[-*•])\s*/;
    const isItem = item.test(piece);
    const text = piece.trim().replace(item, '');
    const denied = text.length > longestRequest || isDenied(text) || (isQuestion(text) && !isPolite(text));
    // What introduces a list holds for all of it.
    if (text !== '' && !isItem) isListDenied = denied && text.endsWith(':');
    return text === '' || denied || isListDenied ? [] : [{ text, whole }];
  });
}

/** A later sentence that takes an order back. */
const isTakenBack =
  /(?:^|[.!?,;\n]\s{0,3}|\b(?:but|wait|please) )(?:do not|don'?t|never) (?:do|pay|send|execute|follow) (?:it|that|this|so|any of)(?!\p{L})|(?:别|不要)(?:这样|这么)?(?:做|执行)/u;

const questionWords =
  /^(?:(?:and|but|so|then|also|hi|hey|hello|ok|please),? )*(?:what|whats|what's|who|who's|whom|whose|when|where|where's|why|how|which|is|are|am|was|were|does|did|has|had|should|shall|may|might|isn't|aren't|doesn't|didn't|(?:do|have) (?:i|you|we|they|these|those|any))(?![\p{L}])|(?:tell|show|explain|give|let) (?:me|us)\b|(?:summari[sz]e|explain|describe|read|check|find out|look up|see|wonder|ask) (?:if|whether|what|who|how|why|when|where|which)\b/u;

function isQuestion(text: string): boolean {
  if (/[?？]["'”』」)]*$/.test(text) || questionWords.test(text)) return true;
  return /(?:什么|怎么|怎样|如何|为什么|为何|谁|哪|多少|几个|是否|有没有|是不是)|[吗呢]$|[吗呢][。？?]/u.test(text);
}

/** A question that is a request. */
function isPolite(text: string): boolean {
  return (
    /(?:^|[,:] |\b(?:and|so|hi|hey|also|if so|then),? )(?:can|could|would|will) you (?:please |kindly |also |just |then )*\p{L}/u.test(
      text,
    ) ||
    /(?:^|, )(?:if (?:so|yes|not)|please)\b/.test(text) ||
    /(?:请|帮我|麻烦|能不能|可以|能)(?!.*(?:什么|怎么|怎样|如何|为什么|谁|哪|多少|是否))/u.test(text)
  );
}

function isDenied(text: string): boolean {
  return /(?:n't|\b(?:do|does|did|wo|ca|should|must)nt|\bnot|\bno(?=,? )|\bnobody|\bno one|\brefus\p{L}+|\bforbid\p{L}*|\bignor\p{L}+|\bwrong|\bnever|\bno longer|\bwithout|\bavoid|\bstop|\bcannot|\bunless|\brather than|\binstead of)(?![\p{L}])|[不别勿没未無无莫]|禁止|停止|忽略|避免/u.test(
    text.replaceAll(allowedDenials, ''),
  );
}

/** Of something else than what is asked for: "all who are not in it yet". */
const allowedDenials =
  /\b(?:do not|don't|dont) (?:forget|hesitate) to\b|\bno (?:later|more|less|fewer|earlier) than\b|\bno (?:problem|rush|hurry|worries|matter)\b|\b(?:who|that|which) (?:(?:are|is|have|has|do|does|did) not|(?:are|is|have|has|do|does|did)n't)\b|不要忘记?|别忘了?|差不多|能不能|可不可以/g;

const quote = '["\'(“]?';
const adverbs =
  '(?:(?:also|now|just|first|next|finally|afterwards|immediately|directly|kindly|please|then|so|ok|okay|hey|hi|go ahead and)[, ] ?){0,6}';
/** The beginning of a sentence, or what can only precede an order. */
const strongStart = `(?:^|(?<!\\p{L})(?:please|can you|could you|would you|will you|[:;–—]),? )${quote}${adverbs}`;
/** A noun may follow these as well. */
const weakStart = `(?:, |(?:^|[ ,])(?:and|then|or)[, ]{1,2})${quote}${adverbs}`;
const object =
  '(?= (?:a|an|the|this|that|it|them|him|her|to|on|my|our|his|their|all|everything|there|back|each|every|["\'“#@{]|\\p{L}*[\\d@]))';
const wishes = '(?<!\\p{L})(?:want|need|needs|like|you|sure|is|have|going|try|forget|hesitate|able|remember|me) to ';
const anyTo =
  '(?<!(?:how|what|when|where|whether|who|whom|which|not|ways?|reply|answer|refers?|related|according|due|went|goes|go|links?|response)) to ';
/** What follows a noun: "the issue and comment of Bob", "post 12". */
const notNoun = '(?! (?:of|by|from|at|is|are|was|were|has|had|says?|said|about|history|status|number|no)(?!\\p{L}))';
/** To oneself: that is an answer, not a deed. And what is written down or out. */
const notToMe = '(?! (?:me|us|down|up|out|off)(?![\\p{L}/._-]))';
const notForMe = `${notToMe}(?! (?:an?|the|some|my|your) (?:\\p{L}{1,20} ){0,2}(?:summary|poem|haiku|story|song|list|text|joke|report|draft|essay|code|script|test|overview)(?!\\p{L}))`;

function orders({ text }: Request, deed: Deed | undefined): boolean {
  if (deed === undefined) return false;
  if (deed.said.split(' ').some((verb) => ordersIn(text, verb))) return true;
  if (deed.names.startsWith('book ') && /\bmake (?:me )?an? (?:reservation|booking)\b/.test(text)) return true;
  return deed.zh.split(' ').some((verb) => ordersInChinese(text, verb));
}

function ordersIn(text: string, verb: string): boolean {
  const has = (pattern: string): boolean => new RegExp(pattern, 'u').test(text);
  if (verb === 'let') return has(`${strongStart}let (?!me |us |'s)[\\p{L}\\p{N} @.:_-]{1,60} know(?!\\p{L})`);
  const end = `(?![\\p{L}\\p{N}'_-])${notNoun}${verb === 'remind' ? '' : verb === 'write' ? notForMe : notToMe}`;
  if (!nouns.test(verb)) return has(`(?:${strongStart}|${weakStart}|${wishes}|${anyTo})${verb}${end}`);
  const noNumber = numbered.test(verb) ? '(?! #?\\d)' : '';
  return (
    has(`(?:${strongStart}|${wishes})${verb}${end}${noNumber}`) || has(`${weakStart}${verb}${end}${noNumber}${object}`)
  );
}

/** At the beginning of a clause, or behind those whom it is done to: "给小王发邮件", "把它发给小王". */
function ordersInChinese(text: string, verb: string): boolean {
  if (!text.includes(verb)) return false;
  const start =
    '(?:^|[，,。；;：:、 ])(?:能不能|可不可以|可以|能|请你?|请?帮我?忙?|麻烦你?|你|我想|我要|然后|再|并且?|接着|现在|就|也|先|最后)*';
  const isNoun = /^(?:评论|发布|分享|提醒|通知|回复|预订|安排|标记)$/.test(verb);
  const whom = isNoun ? '' : '(?:(?:给(?!我)|向|把|将|从|用)[^，,。；;]{1,40}?)?';
  return new RegExp(`${start}${whom}${verb}(?!的)`, 'u').test(text);
}
