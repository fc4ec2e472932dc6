import type { KeptWords, TranscriptEntry, UserMessage } from '../../transcript.ts';
import { oneName, quotation } from '../../words/model-words.ts';
import { endsWithin } from './fit.ts';
import { asksForGood, isPleasantry, requests } from './standing-lexicon.ts';

/*
 * What outlives a summary word for word: the first task of a conversation, and what people have asked for from then on
 * ("always answer in French"). Found by words that say so, in the languages that they are most often said in; a word too
 * many costs a line of the window. Only what a person typed or spoke counts, nothing quoted or forwarded, and nothing by programs.
 */

/** What to keep of a part that a model no longer reads, of what was kept before too: the task first, then the oldest. */
export function wordsToKeep(entries: readonly TranscriptEntry[], before: readonly KeptWords[]): readonly KeptWords[] {
  const said = entries.flatMap((entry) => (entry.type === 'user' && entry.isByProgram !== true ? wordsIn(entry) : []));
  const all = [...before, ...said];
  const tasks = tasksIn(all);
  return [...tasks, ...newestWithin(all, mostBytes, mostKept, tasks)];
}

/** As the model reads them, each under the name of its author; undefined if there are none. At most so many bytes for the task, and for all others. */
export function keptLines(kept: readonly KeptWords[], bytes: number): string | undefined {
  const tasks = tasksIn(kept);
  const standing = newestWithin(kept, Math.min(mostBytes, bytes), mostKept, tasks);
  const lines = [
    ...tasks.flatMap(({ name, text }, at) => [
      `[${at === 0 ? 'the first task here' : 'and then'}, by ${oneName(name)}:]`,
      quotation(endsWithin(text, Math.min(mostOfTask, bytes))),
    ]),
    ...standing.flatMap(({ name, text }) => [`[by ${oneName(name)}:]`, quotation(text)]),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** What a message asks for from then on: all of a short one, its sentences that say so of a long one. Undefined if nothing. */
export function standingPart(text: string): string | undefined {
  const wishes = sentencesOf(text).filter(isStanding);
  if (wishes.length === 0) return undefined;
  if (text.length <= shortMessage) return text.trim();
  return wishes
    .slice(0, mostSentences)
    .map((one) => one.slice(0, shortMessage).toWellFormed())
    .join('\n');
}

/** Whether the words ask for anything, rather than greet or thank. */
export function isTask(text: string): boolean {
  return !isPleasantry(text);
}

/** The first words that ask for something. If they are too short to say much, those behind them too. */
function tasksIn(all: readonly KeptWords[]): readonly KeptWords[] {
  const [first, second] = all.filter(({ text }) => isTask(text)).slice(0, 2);
  if (first === undefined) return [];
  return second === undefined || !isShort(first.text) ? [first] : [first, second];
}

function isShort(text: string): boolean {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.join('') ?? '';
  return letters.length < fewLetters || Buffer.byteLength(letters) < fewBytes;
}

function wordsIn({ seq, principal, name, text, attachments: [first] = [] }: UserMessage): readonly KeptWords[] {
  const isSpoken = first?.state === 'saved' && first.kind === 'voice' && first.isShared !== true;
  const words = text.trim() !== '' ? text : isSpoken ? (first.transcript ?? '') : '';
  return words.trim() === '' ? [] : [{ seq, principal, name, text: words }];
}

/** The newest standing wishes, the oldest first, without the tasks, which are told by themselves. */
function newestWithin(
  all: readonly KeptWords[],
  bytes: number,
  most: number,
  tasks: readonly KeptWords[],
): readonly KeptWords[] {
  let left = bytes;
  const newestFirst = all.toReversed().flatMap((one) => {
    const text = tasks.includes(one) ? undefined : standingPart(one.text);
    return text === undefined ? [] : [{ ...one, text }];
  });
  const fitting = newestFirst.slice(0, most).filter(({ text }) => {
    left -= Buffer.byteLength(text) + lineOverhead;
    return left >= 0;
  });
  return fitting.toReversed();
}

/** About 1,500 tokens. */
const mostBytes = 5000;
const mostOfTask = 2000;
const mostKept = 40;
const lineOverhead = 30;
/** In characters. */
const shortMessage = 400;
const mostSentences = 4;
/** Of a first task that says little by itself ("fix it"). */
const fewLetters = 6;
const fewBytes = 12;

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?。！？\n])\s*/u).filter((sentence) => sentence.trim() !== '');
}

/** A question asks for something only if it asks the assistant to do it. */
function isStanding(sentence: string): boolean {
  // Behind the name of the bot, as in a group.
  const words = sentence.trim().replace(/^(?:@\S+[\s,:：，]*)+/u, '');
  if (/(?:[?？]["”』」)）]*|[吗嗎])$/u.test(words) && !requests.test(words)) return false;
  return asksForGood(words);
}
