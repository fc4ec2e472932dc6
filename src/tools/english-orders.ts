/*
 * English orders in a sentence. The sentence begins with one, after "please", "can you" or something like "On Monday, …"; or
 * a later part begins with a word to the assistant. What is joined to an order is one too, up to where its content
 * begins: "Tell Bob that …".
 */

import { deeds, type Order } from './deeds.ts';
import { dependsOnSomething, isReported } from './moods.ts';

/** The orders in a sentence. `isAfterReport`: the sentence before it reports what somebody says. */
export function englishOrders(text: string, isAfterReport: boolean): readonly Order[] {
  if (text.startsWith('…') || !/[a-z]/.test(text)) return [];
  const { starts, depends } = startsIn(text);
  const isForeign = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);
  return starts.map(({ at, isJoined, isOpened, isWish, opener }, index): Order => {
    const part = text.slice(at, starts[index + 1]?.opener ?? text.length);
    const said = `${text.slice(0, starts[0]?.opener ?? 0)} ${part}`;
    const content = contentOf(part);
    const own = part.slice(0, content ?? part.length);
    return {
      text: part,
      isJoined: isJoined && !isOpened,
      depends: depends || dependsOnSomething(own, false),
      mayDepend: depends || dependsOnSomething(own, true),
      isClear: !(isWish || isForeign || isReported(said) || (isAfterReport && !isOpened) || opener < 0),
      sentence: text,
      language: 'en',
    };
  });
}

/** Whether an order is about what somebody is told, so that orders behind it may be its content. */
export function isTelling(order: string): boolean {
  return telling.test(order);
}

/** Where the content of what somebody is told begins; undefined if the sentence orders something else. */
export function toldFrom(text: string): number | undefined {
  const [first] = startsIn(text).starts;
  if (first === undefined || !messages.test(text.slice(first.at))) return undefined;
  const content = contentOf(text.slice(first.at));
  return content === undefined ? undefined : first.at + content;
}

const messages = /^(?:tell|send|mail|e-?mail|message|text|write|inform|notify|reply|answer|let|ask)(?!\p{L})/u;

interface Start {
  /** Where the words to the assistant begin, and where the verb does. */
  readonly opener: number;
  readonly at: number;
  readonly isJoined: boolean;
  /** With a word to the assistant. */
  readonly isOpened: boolean;
  /** "I want to …" is told of oneself. */
  readonly isWish: boolean;
}

function startsIn(text: string): { readonly starts: readonly Start[]; readonly depends: boolean } {
  const lead = leadOf(text, 0);
  const first = startAt(text, lead, false);
  if (first !== undefined) return { starts: [first, ...joinedTo(text, first)], depends: false };
  const condition = conditionAt(text, lead);
  if (condition !== undefined) return { starts: [condition, ...joinedTo(text, condition)], depends: true };
  // "I am late, please tell Bob": unless somebody else's words come first.
  const [late] = [...text.matchAll(lateOpeners)].map(({ index, 0: { length } }) => index + length);
  if (late === undefined || isReported(text.slice(0, late))) return { starts: [], depends: false };
  const opener = text.slice(0, late).search(/(?:please|(?:can|could|will|would) you|go ahead and) ?[a-z ]{0,20}$/);
  const start = startAt(text, Math.max(0, opener), true);
  return {
    starts: start === undefined ? [] : [start, ...joinedTo(text, start)],
    depends: dependsOnSomething(text.slice(0, late), true),
  };
}

/** An order that begins here: with words to the assistant and any verb, or with a verb that is known. */
function startAt(text: string, opener: number, isJoined: boolean): Start | undefined {
  const words = matchAt(openers, text, opener);
  const at = opener + words.length;
  const isOpened =
    words.replace(/\b(?:also|just|then|now|quickly|immediately|maybe|perhaps|directly)\b|[, ]/g, '') !== '';
  const verb = matchAt(/["'“(]?[a-z]+(?:-[a-z]+)?/y, text, at);
  if (verb === '' || !(isOpened || verbs.has(verb.replace(/^["'“(]/, '')))) return undefined;
  return { opener, at, isJoined, isOpened, isWish: isWish.test(words) };
}

/** Behind what only leads to it: greetings, adverbs, "On Monday, …". */
function leadOf(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < 8; count += 1) {
    const words = matchAt(leads, text, at) || matchAt(places, text, at);
    if (words === '' || (words.includes(',') && (isReported(words) || dependsOnSomething(words, true)))) break;
    at += words.length;
  }
  return at;
}

/** "If it is free, book it": behind the first comma that an order follows. */
function conditionAt(text: string, from: number): Start | undefined {
  if (matchAt(conditional, text, from) === '') return undefined;
  for (const { index, 0: comma } of text.slice(from, from + 400).matchAll(/, (?:then |and )?| then /g)) {
    const start = startAt(text, leadOf(text, from + index + comma.length), false);
    if (start !== undefined) return start;
  }
  return undefined;
}

/** The orders that are joined to the one before, up to where its content begins. */
function joinedTo(text: string, first: Start): readonly Start[] {
  const starts: Start[] = [];
  let last = first;
  for (const { index, 0: words } of text.slice(first.at, longestJoined).matchAll(joints)) {
    const at = first.at + index;
    if (contentOf(text.slice(last.at, at + words.length)) !== undefined) break;
    const start = startAt(text, leadOf(text, at + words.length), true);
    if (start === undefined) continue;
    starts.push(start);
    last = start;
  }
  return starts;
}

const longestJoined = 2_000;

/** Where the content of what is told begins: what follows is no order. */
function contentOf(order: string): number | undefined {
  const found = order.search(isTelling(order) ? content : showing.test(order) ? /[:：](?=\s|$)/ : /$^/);
  return found === -1 ? undefined : found;
}

/** What stands there, by a pattern that begins with `^`. */
function matchAt(pattern: RegExp, text: string, at: number): string {
  return pattern.exec(text.slice(at, at + 300))?.[0] ?? '';
}

const adverbs =
  'also|now|just|next|first|firstly|second|secondly|third|thirdly|finally|lastly|afterwards|immediately|directly|then|so|ok|okay|quickly|simply|at once|after that|by the way|btw|today|tomorrow|tonight|again|and|but|yes|yeah|sure|right|great|perfect|fine|well|alright|in addition|additionally|meanwhile';

/** Greetings, adverbs, and the assistant's name. */
const leads = new RegExp(
  `^["'“(]?(?:(?:hi|hey|hello|dear|good (?:morning|evening|afternoon|day)|thanks|thank you|morning|evening|${adverbs})(?: there| again| all| keyturn| bot| assistant)?(?:[,!.;:–—-]+ ?| )|@?[\\w-]{0,20}(?:keyturn|bot|assistant)[,:]? )`,
);

/** "For issue 7123, …", "On Monday, …". */
const places = /^(?:on|in|at|for|from|with|by|as|about|regarding|during|within|using|via|of|to) [^,;:.!?]{1,80}, /;

const conditional =
  /^(?:only )?(?:if|in case|in the event|when|whenever|once|as soon as|as long as|so long as|provided|providing|assuming|unless|should|after|falls|wenn|sobald|sofern) /;

/** Words to the assistant before the verb. */
const openers = new RegExp(
  `^(?:(?:${[
    '(?:can|could|would|will) you',
    'please|kindly',
    "(?:i|we)(?: would|'d)? (?:want|need|like|ask) you(?: all)? to",
    "(?:i|we)(?: would|'d) (?:like|love|prefer) to",
    '(?:i|we) (?:want|need) to',
    "(?:i|we)(?: would|'d) appreciate it if you(?: could| would)?",
    '(?:make|be) sure (?:to|that you|you)',
    "(?:do not|don't|dont|never) (?:forget|hesitate) to",
    'remember to',
    'feel free to',
    'go ahead and|go and',
    'your (?:task|job) (?:now )?is to',
    "let's|let us",
    'help me(?: to)?',
    'do me a favou?r and',
    'be so kind (?:as to|and)',
    'try to|take care to|it is time to|start to',
    'also|just|then|now|kindly|quickly|immediately|maybe|perhaps|directly',
  ].join('|')}),? )+`,
);

/** Told of oneself: it may be a plan. */
const isWish = /(?:i|we)(?: would|'d)? (?:like|love|prefer|want|need) to |let's |let us |would you (?!please|kindly)/;

const lateOpeners =
  /(?:[,;.!–—-]|\band|\bso|\bbut) (?:so |and |but |then |now |also )*(?:please|(?:can|could|will|would) you(?: please| kindly)?|go ahead and)(?= )/g;

const joints = /[,;:–—](?: (?=\p{L}|["'“(]))(?:(?:and|but|then|or) )*| (?:and|then|&)(?: then| also)* /gu;

/** Verbs that begin orders: those of deeds, and others that assistants are told. */
const verbs: ReadonlySet<string> = new Set(
  `read reread look check find get see open fetch visit take perform do go use try review compare list show give download
  explain describe count sort pick choose select figure work help ensure watch calculate compute fix run have let keep wait
  follow click browse scan continue prepare draft compose create make proofread rewrite rephrase paraphrase convert extract
  investigate verify confirm test call ask draw think consider summarise summarize sum translate analyse analyze tell search
  google compile collect gather examine inspect study research recommend suggest propose estimate crawl query lookup
  execute finish complete handle deal process parse transcribe note put clean organize organise list set mark pull
  begin grab consult view print speak wake turn switch play pause stop ${deeds.map(({ said }) => said).join(' ')} email e-mail`
    .split(/\s+/)
    .filter((verb) => /^[a-z-]+$/.test(verb)),
);

const telling =
  /^(?:tell|ask|say|mail|e-?mail|message|text|write|inform|notify|reply|answer|respond|comment|post|publish|tweet|toot|remind|remember|memori[sz]e|store|save|note|draft|compose|let|forward|dm|send|describe|imagine|suppose|pretend|explain|translate|rephrase|teach|convince|persuade|warn|announce|speak|instruct|order|request|invite|have|get|help)(?!\p{L})/u;

/** What stands behind their colon is only to be looked at. */
const showing =
  /^(?:(?:re)?read|look|check|see|show|review|explain|summari[sz]e|proofread|analy[sz]e|consider|compare|find|search|open|print|parse|test|examine|inspect|study|verify|count|investigate)(?!\p{L})/u;

const content = new RegExp(
  String.raw`[:：](?=\s|$)| (?:that|saying|asking|whether|how|why|what|who|where|when|in which|because|about how)(?!\p{L})|(?<=^ask [^,;:]{1,60}) if(?!\p{L})|(?<=^(?:let|have|help) (?!me |us |an? )[^,;:]{1,40}) (?:${[...verbs].join('|')})(?!\p{L})| (?:i|i'm|i'll|i've|i'd|we|we're|he|he's|she|she's|they|they're)(?= )| (?:it|this|there|everything|all|you)(?= (?:is|was|has|will|are|were|can|should|must|have|needs?|goes)(?!\p{L})|'s|'re|'ll)| to (?:not |please |also )?(?:${[...verbs].join('|')})(?!\p{L})`,
  'u',
);
