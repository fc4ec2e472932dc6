import type { Button } from '../../src/contract.ts';
import { oneLine } from '../../src/lib/plain-text.ts';
import { breakRows, textWidth } from '../../src/lib/text-width.ts';
import { readShortAnswer } from '../../src/lib/yes-or-no.ts';
import { bar, stripControls, withoutEscapes, withoutOwnMarks } from './render.ts';
import type { Output } from './streams.ts';
import type { TerminalWords } from './words.ts';

/** Columns to keep free for the sign and a short answer. */
const roomToAnswer = 8;
const leastSubject = 10;
const between = ' · ';
const enter = '⏎';
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

/**
 * The prompt: the answers, in as many rows as they need. `isBelow`: it stands directly below its card, which says what is
 * asked. Elsewhere the subject stands before the answers.
 */
export function promptFor({ card, waiting }: Question, isBelow: boolean, screen: PromptScreen): string {
  const { columns, words } = screen;
  const answers = card.buttons.map((button) => withoutOwnMarks(choiceAt(button, card)));
  const asked = asksLeave(card.buttons) ? words.promptAllow : words.promptAnswer;
  const room = columns - textWidth(`${bar} ${asked({ subject: '', waiting })}`) - 1;
  const subject = lineWithin(withoutOwnMarks(card.subject), Math.max(leastSubject, room));
  const numbered = waiting > 1 ? words.promptOneOf({ waiting }) : '';
  const head = `${bar} ${isBelow ? numbered : asked({ subject, waiting })}`.trimEnd();
  const whole = `${head} ${answers.join(between)}`;
  if (textWidth(whole) + roomToAnswer <= columns) return whole;
  return [...(head === bar ? [] : [head]), ...answerRows(answers, columns)].join('\n');
}

interface PromptScreen {
  readonly columns: number;
  readonly words: TerminalWords;
}

/** An answer is broken only where it is longer than a row. The last row has room for what is typed. */
function answerRows(answers: readonly string[], columns: number): readonly string[] {
  const rows: string[] = [];
  for (const [index, answer] of answers.entries()) {
    const isLast = index === answers.length - 1;
    const longer = rows.length === 0 ? undefined : `${rows.at(-1)}${between}${answer}`;
    const room = columns - 2 - (isLast ? roomToAnswer : 0);
    if (longer !== undefined && textWidth(longer) <= room) rows[rows.length - 1] = longer;
    else rows.push(answer);
  }
  return rows.flatMap((row) => breakRows(row, columns, 2)).map((row) => `${bar} ${row}`);
}

/** The text on one line, cut in the middle to so many columns: a Chinese character takes two. */
function lineWithin(text: string, columns: number): string {
  let line = oneLine(text, columns);
  for (let most = columns; textWidth(line) > columns; line = oneLine(text, most))
    most -= Math.ceil((textWidth(line) - columns) / 2);
  return line;
}

/** A card's subject: the bold part of its first line, or that line. Where a danger stands in bold, what follows it. */
export function subjectOf(markdown: string): string {
  const first = markdown.split('\n').find((line) => line.trim() !== '') ?? '';
  const line = stripControls(first).slice(0, longestFirstLine).trim();
  const strong = /\*\*[^*]+[.。]\*\* *(\S.*)/.exec(line)?.[1] ?? /\*\*(.+)\*\*/.exec(line)?.[1];
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

/**
 * Whether this key alone answers the card, without Enter: no key whose press could be the beginning of another answer, and
 * none that lets something dangerous run. `d` alone only shows something.
 */
export function decidesAlone({ buttons }: OpenCard, line: string): boolean {
  const answer = line.toLowerCase();
  const shortcuts = buttons.map(({ shortcut }) => shortcut.toLowerCase());
  const button = buttons[shortcuts.indexOf(answer)];
  if (button === undefined) return false;
  if (shortcuts.some((other) => other !== answer && other.startsWith(answer))) return false;
  if (button.unfolds === true) return true;
  if (answer === details) return false;
  return answer === refuses || !isDangerous(buttons);
}

const refuses = 'n';
const details = 'd';

/** To approve it is styled as a danger. Elsewhere only to refuse is, if anything. */
function isDangerous(buttons: readonly Button[]): boolean {
  return buttons.some(({ style, shortcut }) => style === 'danger' && shortcut !== refuses);
}

/** Whether the line is for the card, and not a message: to a question, each may be. */
export function isAnswer({ buttons }: OpenCard, line: string): boolean {
  return !asksLeave(buttons) || buttonFor(buttons, line) !== undefined;
}

/**
 * What a line says that follows the key `key`, which has just answered the card alone: nothing, if it is the rest of that answer
 * (`es` after `y`). A refusal with its reason is told whole.
 */
export function afterOneKey(key: string, line: string, { buttons }: OpenCard): string {
  const whole = key + line;
  const button = buttons.find(({ shortcut }) => shortcut.toLowerCase() === key.toLowerCase());
  if (button !== undefined && buttonFor(buttons, whole) === button) return '';
  const isRefusal = key.toLowerCase() === refuses && readShortAnswer(whole)?.type === 'no';
  return isRefusal ? whole : line;
}

/** Whether it asks for a permission: other questions have only plain buttons. */
function asksLeave(buttons: readonly Button[]): boolean {
  return buttons.some(({ style }) => style !== 'plain');
}

function choices(buttons: readonly Button[]): string {
  return buttons.map(choiceFor).join(between);
}

/** At a keyboard: says which keys want an Enter. */
function choiceAt(button: Button, card: OpenCard): string {
  if (decidesAlone(card, button.shortcut)) return choiceFor(button);
  return `[${button.shortcut} ${enter}] ${stripControls(button.label)}`;
}

function choiceFor({ label, shortcut }: Button): string {
  const words = stripControls(label);
  // The number of an answer is no part of it: `1` for `19:00`.
  const isNumber = /^\d+$/.test(shortcut);
  const begins = words.toLowerCase().startsWith(isNumber ? `${shortcut} ` : shortcut.toLowerCase());
  return begins ? `[${words.slice(0, shortcut.length)}]${words.slice(shortcut.length)}` : `[${shortcut}] ${words}`;
}

/** Shows the dialogue. */
export interface Display {
  /** Whether growing replies can be shown. */
  readonly isLive: boolean;
  /** Width of a row. */
  readonly columns: number;
  /** Prints whole lines, those of the card `cardId` if that is set. Resolves when they are written; rejects with `ChannelError`. */
  print(lines: string, cardId?: string): Promise<void>;
  /** Appends to the unfinished line. */
  append(text: string): void;
  /** Ends the unfinished line. Resolves when it is written; rejects with `ChannelError`. */
  endRow(): Promise<void>;
  /** Shows that something is being done, until `ended` resolves. Does nothing while it is shown. */
  showWorking(ended: () => Promise<void>): void;
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
    showWorking() {},
    ask() {},
  };
}
