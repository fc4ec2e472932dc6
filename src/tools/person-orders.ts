/*
 * The orders in a person's message, each from its verb on: "Read it, then merge 7" holds two. An order stands at the
 * beginning of a sentence, behind a word to the assistant ("please", "can you"), or is joined to another order. What
 * others say or want, questions, denials, stories, wishes about oneself and what is only shown are none.
 *
 * A mistake here costs a card or lets a call pass whose values the person has all written: in doubt, it is no order.
 */

import { chineseOrders, toldFromInChinese } from './chinese-orders.ts';
import type { Order } from './deeds.ts';
import { englishOrders, isTelling, toldFrom } from './english-orders.ts';
import {
  isAttributed,
  isDenied,
  isFictional,
  isLeftOpen,
  isPolite,
  isQuestion,
  isReported,
  isShowing,
  isTakenBack,
  isWavering,
  plainApostrophes,
} from './moods.ts';
import { withoutPasted, withoutQuotes } from './quoted-words.ts';

/** Where the values of an order may stand. */
export interface OrderedWords {
  /** The sentences that deny nothing, without what they quote and what is pasted. */
  readonly own: string;
  /** What these quote, but for what is pasted. */
  readonly quotes: readonly string[];
  /** The sentences that deny nothing, with all that they show. */
  readonly shown: string;
}

/** A sentence of a message. */
interface Sentence {
  /** In lower case, with an `…` for each character that it quotes. */
  readonly text: string;
  /** With capital letters; with an `…` for each character that it quotes or that is pasted; as it was written. */
  readonly own: string;
  readonly unpasted: string;
  readonly shown: string;
  readonly isDenied: boolean;
  /** It is no question, is not denied, and stands below no heading that says otherwise. */
  readonly isRequest: boolean;
  /** The sentence before it reports somebody's words. */
  readonly isAfterReport: boolean;
}

/** A longer sentence is none that a person has written as an order. */
const longestSentence = 2_000;

/** The orders of a message. */
export function ordersIn(message: string): readonly Order[] {
  const plain = plainApostrophes(message).normalize('NFKC').toLowerCase();
  const isUncertain = isFictional(plain) || isWavering(plain);
  return sentencesOf(message)
    .filter(({ isRequest }) => isRequest)
    .flatMap((sentence) =>
      ordersOf(sentence).map((order) => ({
        ...order,
        isClear: order.isClear && !isUncertain && !isLeftOpen(sentence.text),
        sentence: sentence.shown.toLowerCase(),
      })),
    );
}

export function orderedWords(message: string): OrderedWords {
  const sentences = sentencesOf(message).filter((sentence) => !sentence.isDenied);
  return {
    own: sentences.map(({ own }) => own).join('\n'),
    quotes: sentences.flatMap(({ own, unpasted }) =>
      [...own.matchAll(/…{2,}/g)].map(({ index, 0: { length } }) => unpasted.slice(index, index + length)),
    ),
    shown: sentences.map(({ shown }) => shown).join(''),
  };
}

/** Whether some sentence is neither a question nor denied. */
export function hasRequest(message: string): boolean {
  return sentencesOf(message).some(({ isRequest }) => isRequest);
}

function sentencesOf(message: string): readonly Sentence[] {
  const plain = plainApostrophes(message).normalize('NFKC');
  const own = withoutQuotes(plain);
  const unpasted = withoutPasted(plain);
  if (isTakenBack(own.toLowerCase())) return [];
  const sentences: Sentence[] = [];
  let [at, heading, isAfterReport]: [number, Heading, boolean] = [0, noHeading, false];
  for (const piece of own.split(ends)) {
    const [begin, end] = [at, at + piece.length];
    at = end;
    const isItem = item.test(piece);
    const text = piece.replace(item, '').trim().toLowerCase();
    if (text === '') {
      heading = { ...heading, isOver: true };
      continue;
    }
    const told = toldOf(text);
    const denied = text.length > longestSentence || isDenied(text.slice(0, told));
    const length = told === undefined ? piece.length : piece.toLowerCase().indexOf(text) + told;
    const asked = isQuestion(text) && !isPolite(text);
    const isBelow = isItem ? heading.holdsItems : heading.holdsLines && !heading.isOver;
    const line = { text, isItem, endsLine: piece.endsWith('\n') || end === own.length };
    sentences.push({
      text,
      own: piece.slice(0, length) + piece.slice(length).replaceAll(/[^\n]/g, '…'),
      unpasted: unpasted.slice(begin, end),
      shown: plain.slice(begin, end),
      isDenied: denied || (isBelow && heading.isDenial),
      isRequest: !(denied || asked || isBelow),
      isAfterReport,
    });
    isAfterReport = isReported(text) || (isShowing(text) && !startsOrder(text));
    if (!isItem && !isBelow) heading = headingOf(line.text, { denied, asked });
  }
  return sentences;
}

/** Where a denial is told to somebody: "Tell Bob I cannot come." Undefined if it is meant for the assistant. */
function toldOf(text: string): number | undefined {
  if (!isDenied(text)) return undefined;
  const told = toldFrom(text) ?? toldFromInChinese(text);
  // Of money, it is a word on the payment.
  if (told === undefined || /\p{Sc}|\d/u.test(text.slice(0, told))) return undefined;
  return addedDenial.test(text.slice(told)) ? undefined : told;
}

/** The person may say it to the assistant. */
const addedDenial =
  /(?:[,;–—…(]|\s-) ?(?:(?:and|but|or|so|then|oh|please|well),? )*(?:no|not|don'?t|do not|never|stop|wait|without|unless|except|instead|actually|ignore)(?!\p{L})|[，,；（](?:但|可|请|还是|算了)?[别不勿没]/u;

const item = /^\s*(?:\d{1,2}[.)、]|[-*•–])\s*/;

/** A full stop behind the number of an item ends no sentence. */
const ends = /(?<=(?<!(?:^|\n)[ \t]{0,8}\d{1,2})[.!?。！？;；])(?=\s|\p{Script=Han}|$)|(?<=\n)|(?<=[?？！。])/u;

/** What the last line says of those below it. */
interface Heading {
  /** The items of a list below it are no orders. */
  readonly holdsItems: boolean;
  /** Nor are other lines, up to an empty one. */
  readonly holdsLines: boolean;
  readonly isDenial: boolean;
  /** An empty line followed. */
  readonly isOver?: boolean;
}

const noHeading: Heading = { holdsItems: false, holdsLines: false, isDenial: false };

/** A heading lets a list be orders if it is one itself, or a word like "Tasks:". */
function headingOf(text: string, { denied, asked }: { readonly denied: boolean; readonly asked: boolean }): Heading {
  const opensList = /[:：]$/.test(text);
  const isSentence = /[.!。！…]$/.test(text) && !opensList;
  const isOfOthers = denied || asked || isReported(text);
  const isOrder = labels.test(text) || (startsOrder(text) && !nounHeading.test(text));
  if (!isOfOthers && (isOrder || isSentence)) return noHeading;
  return { holdsItems: true, holdsLines: opensList, isDenial: denied };
}

const labels =
  /^(?:my |your |the |new |some |a few |two |three |more |other )*(?:to-?dos?|to-?do list|tasks?|next(?: steps)?|steps?|today|tomorrow|now|plan|also|please|jobs?|待办|任务|今天|明天|步骤|请)(?: for (?:you|today|tomorrow|now))?[:：.]?$/u;

/** "Release notes:", "Commit message:" */
const nounHeading =
  /^(?:releases?|posts?|messages?|mails?|texts?|orders?|plans?|labels?|tags?|merges?|changes?|sets?|books?|answers?|comments?|tests?|calls?|search|works?|process|study|research|reviews?|drafts?|lists?|prints?|query|commit) \p{L}{2,20}[:：]$/u;

/** Whether a line asks for what is below it, as "Please do this:" and unlike "Tell Bob:". */
function startsOrder(text: string): boolean {
  const last = ordersOf({ text, isAfterReport: false }).at(-1);
  return last !== undefined && !isTelling(last.text);
}

function ordersOf({ text, isAfterReport }: Pick<Sentence, 'text' | 'isAfterReport'>): readonly Order[] {
  if (isAttributed(text)) return [];
  return [...englishOrders(text, isAfterReport), ...chineseOrders(text, isAfterReport)];
}
