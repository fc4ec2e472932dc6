import type { Button } from '../../src/contract.ts';
import { oneLine } from '../../src/lib/plain-text.ts';
import { textWidth } from '../../src/lib/text-width.ts';
import { readShortAnswer } from '../../src/lib/yes-or-no.ts';
import { bar, stripControls, withoutEscapes, withoutOwnMarks } from './render.ts';
import type { Output } from './streams.ts';
import type { TerminalWords } from './words.ts';

/** Columns to keep free for the sign and a short answer. */
const roomToAnswer = 8;
const leastSubject = 10;
/** Characters of a first line that are looked at. */
const longestFirstLine = 1000;

/** The question at the prompt. */
export interface Question {
  readonly card: OpenCard;
  /** Number of waiting cards, including this one. */
  readonly waiting: number;
}

export interface OpenCard {
  readonly id: string;
  /** A short description. */
  readonly subject: string;
  readonly buttons: readonly Button[];
}

/** The answers in one line: `Allow? [y] approve · [a]lways · [n] deny`. */
export function questionFor(buttons: readonly Button[], words: TerminalWords): string {
  const answers = { choices: choices(buttons) };
  return asksLeave(buttons) ? words.askAllow(answers) : words.askAnswer(answers);
}

/** The prompt with the subject and the number of waiting cards, in one row if it fits, otherwise two. */
export function promptFor({ card, waiting }: Question, columns: number, words: TerminalWords): string {
  const { subject, buttons } = card;
  const asked = asksLeave(buttons) ? words.promptAllow : words.promptAnswer;
  const room = columns - textWidth(`${bar} ${asked({ subject: '', waiting })}`) - 1;
  const shown = lineWithin(withoutOwnMarks(subject), Math.max(leastSubject, room));
  const head = `${bar} ${asked({ subject: shown, waiting })}`;
  const tail = withoutOwnMarks(choices(buttons));
  const isShort = textWidth(`${head} ${tail}`) + roomToAnswer <= columns;
  return isShort ? `${head} ${tail}` : `${head}\n${bar} ${tail}`;
}

/** The text on one line, cut in the middle to so many columns: a Chinese character takes two. */
function lineWithin(text: string, columns: number): string {
  let line = oneLine(text, columns);
  for (let most = columns; textWidth(line) > columns; line = oneLine(text, most))
    most -= Math.ceil((textWidth(line) - columns) / 2);
  return line;
}

/** A card's subject: the bold part of its first line, or that line. */
export function subjectOf(markdown: string): string {
  const first = markdown.split('\n').find((line) => line.trim() !== '') ?? '';
  const line = stripControls(first).slice(0, longestFirstLine).trim();
  const strong = /\*\*(.+)\*\*/.exec(line)?.[1];
  const subject = strong === undefined ? line : strong.charAt(0).toLowerCase() + strong.slice(1);
  return withoutEscapes(subject).replace(/[?？]$/, '');
}

/** The button for a line: by shortcut, label, or a yes or no to a permission. */
export function buttonFor(buttons: readonly Button[], line: string): Button | undefined {
  const answer = line.trim().toLowerCase();
  const said = asksLeave(buttons) ? readShortAnswer(line) : undefined;
  const short =
    said === undefined || (said.type === 'no' && said.reason !== undefined) ? answer : said.type.slice(0, 1);
  return (
    buttons.find(({ shortcut }) => shortcut.toLowerCase() === answer) ??
    buttons.find(({ shortcut }) => shortcut.toLowerCase() === short) ??
    buttons.find(({ label }) => label.toLowerCase() === answer)
  );
}

/** Whether it asks for a permission: other questions have only plain buttons. */
function asksLeave(buttons: readonly Button[]): boolean {
  return buttons.some(({ style }) => style !== 'plain');
}

function choices(buttons: readonly Button[]): string {
  return buttons.map(choiceFor).join(' · ');
}

function choiceFor({ label, shortcut }: Button): string {
  const words = stripControls(label);
  const begins = words.toLowerCase().startsWith(shortcut.toLowerCase());
  return begins ? `[${words.slice(0, shortcut.length)}]${words.slice(shortcut.length)}` : `[${shortcut}] ${words}`;
}

/** Shows the dialogue. */
export interface Display {
  /** Whether growing replies can be shown. */
  readonly isLive: boolean;
  /** Width of a row. */
  readonly columns: number;
  /** Prints whole lines. Resolves when they are written; rejects with `ChannelError`. */
  print(lines: string): Promise<void>;
  /** Appends to the unfinished line. */
  append(text: string): void;
  /** Ends the unfinished line. Resolves when it is written; rejects with `ChannelError`. */
  endRow(): Promise<void>;
  /** Sets the question at the prompt. */
  ask(question: Question | undefined): void;
}

/** A pipe shows lines only. */
export function pipeDisplay(output: Output): Display {
  return {
    isLive: false,
    columns: Number.POSITIVE_INFINITY,
    print: (lines) => output.write(`${lines}\n`),
    append() {},
    async endRow() {},
    ask() {},
  };
}
