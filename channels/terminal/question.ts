import type { Button } from '../../src/contract.ts';
import { oneLine } from '../../src/lib/plain-text.ts';
import { bar, type Output, stripControls, withoutOwnMarks } from './output.ts';
import { withoutEscapes } from './render.ts';
import { textWidth } from './text-width.ts';

/** In columns: what is left of the row for the sign and a short answer. */
const roomToAnswer = 8;
const leastSubject = 10;
/** In characters: what is looked at of a first line. */
const longestFirstLine = 1000;

/** What is asked at a prompt. */
export interface Question {
  readonly card: OpenCard;
  /** How many cards wait, with this one. */
  readonly waiting: number;
}

/** A card that waits for an answer. */
export interface OpenCard {
  readonly id: string;
  /** What it is about, in a few words. */
  readonly subject: string;
  readonly buttons: readonly Button[];
}

/** The line that asks for one of the answers: `Allow? [y] approve · [a]lways · [n] deny`. */
export function questionFor(buttons: readonly Button[]): string {
  return `${asksLeave(buttons) ? 'Allow?' : 'Your answer?'} ${choices(buttons)}`;
}

/** What a prompt asks, with its subject and with how many wait: in one row if there is room, or else in two. */
export function promptFor({ card, waiting }: Question, columns: number): string {
  const { subject, buttons } = card;
  const begin = asksLeave(buttons) ? `${bar} Allow ` : `${bar} `;
  const end = waiting > 1 ? `? (1 of ${waiting})` : '?';
  const room = Math.max(leastSubject, columns - begin.length - end.length - 1);
  const head = `${begin}${oneLine(withoutOwnMarks(subject), room)}${end}`;
  const tail = withoutOwnMarks(choices(buttons));
  const isShort = textWidth(`${head} ${tail}`) + roomToAnswer <= columns;
  return isShort ? `${head} ${tail}` : `${head}\n${bar} ${tail}`;
}

/** What a card is about: the strong words of its first line, or that line. */
export function subjectOf(markdown: string): string {
  const first = markdown.split('\n').find((line) => line.trim() !== '') ?? '';
  const line = stripControls(first).slice(0, longestFirstLine).trim();
  const strong = /\*\*(.+)\*\*/.exec(line)?.[1];
  const subject = strong === undefined ? line : strong.charAt(0).toLowerCase() + strong.slice(1);
  return withoutEscapes(subject).replace(/\?$/, '');
}

/** The button that a line presses: by its shortcut, its label, or `yes` and `no` in full. */
export function buttonFor(buttons: readonly Button[], line: string): Button | undefined {
  const answer = line.trim().toLowerCase();
  const short = answer === 'yes' || answer === 'no' ? answer.slice(0, 1) : answer;
  return (
    buttons.find(({ shortcut }) => shortcut.toLowerCase() === answer) ??
    buttons.find(({ shortcut }) => shortcut.toLowerCase() === short) ??
    buttons.find(({ label }) => label.toLowerCase() === answer)
  );
}

/** Whether it is a permission that is asked for: other questions have only plain answers. */
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

/** Where the dialogue is shown. */
export interface Display {
  /** Whether a reply can be shown while it is written. */
  readonly isLive: boolean;
  /** How wide a row is now. */
  readonly columns: number;
  /** Shows whole lines. Resolves when they were taken; throws `ChannelError`. */
  print(lines: string): Promise<void>;
  /** Shows whole lines that may be lost. */
  printSoon(lines: string): void;
  /** Adds to a line that is still being written. */
  append(text: string): void;
  /** Ends that line. Resolves when all of it was taken; throws `ChannelError`. */
  endRow(): Promise<void>;
  /** What to ask at the prompt, if anything. */
  ask(question: Question | undefined): void;
}

/** A pipe: lines, and nothing else. */
export function pipeDisplay(output: Output): Display {
  return {
    isLive: false,
    columns: Number.POSITIVE_INFINITY,
    print: (lines) => output.write(`${lines}\n`),
    printSoon: (lines) => output.writeSoon(`${lines}\n`),
    append() {},
    async endRow() {},
    ask() {},
  };
}
