/*
 * The guided tour: things to say, offered as numbered choices. A choice is taken by its number, or by "the second" or 第二个;
 * which choices were offered is read from the last answer, so that they hold after a restart.
 */

import { inlineCode } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { type Stop, stopHints } from './stops.ts';
import { offlineWords } from './words.ts';

/** The order in which they are offered to those who have said nothing of what they want. */
export const firstStops: readonly Stop[] = ['write', 'list', 'remind'];

/** All that `help` lists. */
export const allStops: readonly Stop[] = [
  'list',
  'write',
  'read',
  'edit',
  'run',
  'remember',
  'recall',
  'remind',
  'model',
];

/** The stops that are nearest to a sentence, the nearest first: so many, filled up with the first ones. */
export function nearestStops(sentence: string, count: number): readonly Stop[] {
  const said = wordsOf(sentence);
  const scored = [...stops].map((stop) => {
    const own = wordsOf(`${stopHints[stop]} ${offlineWords.en.say[stop]} ${offlineWords.zh.say[stop]}`);
    return { stop, score: [...said].filter((word) => own.has(word)).length };
  });
  const near = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return [...new Set([...near.map(({ stop }) => stop), ...firstStops])].slice(0, count);
}

const stops: readonly Stop[] = [...allStops, 'time', 'search', 'delete', 'planned', 'fetch', 'help'];

/** Words of letters without their endings, and the characters and pairs of characters of Chinese. */
function wordsOf(sentence: string): ReadonlySet<string> {
  const said = sentence.slice(0, longestRead).normalize('NFKC').toLowerCase();
  const latin = (said.match(/[a-z]{2,}/g) ?? []).map((word) => word.replace(/(?:ing|ed|es|s|e)$/, ''));
  const han = (said.match(/\p{Script=Han}+/gu) ?? []).flatMap((run) => {
    const signs = [...run];
    return [...signs.filter((sign) => !empty.has(sign)), ...signs.slice(1).map((sign, at) => `${signs[at]}${sign}`)];
  });
  return new Set([...latin.filter((word) => !empty.has(word)), ...han]);
}

/** In characters. */
const longestRead = 500;

/** Words that say nothing of what is wanted. */
const empty: ReadonlySet<string> = new Set([
  ...[
    'th',
    'to',
    'an',
    'of',
    'in',
    'on',
    'it',
    'is',
    'me',
    'my',
    'you',
    'plea',
    'pleas',
    'can',
    'do',
    'for',
    'and',
    'a',
    'i',
  ],
  ...'的了吗呢吧啊我你是在有一个这那把给和不也都就要想请帮下里',
]);

/** Numbered lines with the sentences to say. Each is one line of markdown. */
export function choiceLines(chosen: readonly Stop[], language: Language): string {
  const { say, tell } = offlineWords[language];
  const told = new Map(Object.entries(tell));
  return chosen
    .map((stop, at) => [`${at + 1}. ${inlineCode(say[stop])}`, told.get(stop)].filter(Boolean).join(' – '))
    .join('\n');
}

/** The sentence that a number stands for, if the answer before ended with choices. Otherwise the sentence itself. */
export function chosenIn(sentence: string, lastAnswer: string): string {
  const number = numberIn(sentence);
  if (number === undefined) return sentence;
  const offered = choicesAtEnd(lastAnswer);
  const isOnly = offered.length === 1 && number === 'next';
  return (isOnly ? offered[0] : typeof number === 'number' ? offered[number - 1] : undefined) ?? sentence;
}

/** A choice by its number; `next`: whatever is offered, if it is one. */
function numberIn(sentence: string): number | 'next' | undefined {
  const said = sentence.normalize('NFKC').trim().toLowerCase();
  const [, digit] =
    /^(?:(?:number|no\.?|option|choice|type|press|选择?|第)\s?)?#?([1-9])\s?(?:[.)、。!]|个吧?|号|项)?$/.exec(said) ??
    [];
  if (digit !== undefined) return Number(digit);
  if (/^(?:next|go on|continue|next step|ok next|继续|下一步|下一个|接着来)[.!。！]?$/.test(said)) return 'next';
  const [, word, sign] =
    /^(?:the )?(first|second|third|one|two|three)(?: one| option)?[.!]?$|^选?第?([一二三])个?吧?[。！]?$/.exec(said) ??
    [];
  const at = word === undefined ? '一二三'.indexOf(sign ?? '-') : ordinals.indexOf(word) % 3;
  return at < 0 ? undefined : at + 1;
}

const ordinals = ['first', 'second', 'third', 'one', 'two', 'three'];

/** The sentences of the numbered lines that a text ends with. */
function choicesAtEnd(text: string): readonly string[] {
  const choices: string[] = [];
  for (const line of text.trimEnd().split('\n').reverse()) {
    const [, sentence] = /^[1-9]\. `([^`\n]+)`(?: – [^\n]*)?$/.exec(line) ?? [];
    if (sentence === undefined) break;
    choices.unshift(sentence);
  }
  return choices;
}
