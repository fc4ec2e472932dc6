/* How the set-up talks to a person, on a terminal: the library is loaded only now. */

import type * as Clack from '@clack/prompts';
import { breakRows } from '../../lib/text-width.ts';
import { exitCodes } from '../commands/command.ts';
import { printed } from '../printed.ts';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** Each question rejects with `CancelledError` at ctrl-c. */
export interface Questions {
  choose<Value extends string>(message: string, choices: readonly Choice<Value>[], first?: Value): Promise<Value>;
  /** What is typed is not shown. Empty: nothing was typed. */
  secret(message: string): Promise<string>;
  text(message: string, example: string): Promise<string>;
  agree(message: string): Promise<boolean>;
  /** All well. */
  good(text: string): void;
  /** A fault, or what should be known. */
  bad(text: string): void;
  /** What helps with the next question. */
  tell(text: string): void;
  /** Shows what is waited for. */
  during<Result>(message: string, work: () => Promise<Result>): Promise<Result>;
  /** The last words. */
  end(text: string): void;
}

/** The person has pressed ctrl-c. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

interface QuestionWords {
  readonly title: string;
  /** Said where ctrl-c ends what is waited for. */
  readonly cancelled: string;
  readonly yes: string;
  readonly no: string;
}

export async function questionsAt(process: NodeJS.Process, words: QuestionWords): Promise<Questions> {
  const clack = await import('@clack/prompts');
  const { stdin: input, stdout: output } = process;
  const place = { input, output } as const;
  const asking: Asking = { clack, process, place, words };
  clack.intro(words.title, place);
  return {
    choose: (message, choices, first) => choose(message, choices, first, asking),
    secret: async (message) => typed(await clack.password({ ...place, message: printed(message) })),
    text: async (message, example) =>
      typed(await clack.text({ ...place, message: printed(message), placeholder: example })),
    agree: (message) => agree(message, asking),
    good: (text) => clack.log.success(inRows(text, output), place),
    bad: (text) => clack.log.warn(inRows(text, output), place),
    tell: (text) => clack.log.info(inRows(text, output), place),
    during: (message, work) => during(message, work, asking),
    end: (text) => clack.outro(printed(text), place),
  };
}

/** Broken between words, where the library would leave that to the terminal. */
function inRows(text: string, { columns }: NodeJS.WriteStream): string {
  // Some pseudo-terminals report 0 if unknown.
  const widest = Math.max(leastColumns, (columns || 80) - margin);
  const rows = printed(text)
    .split('\n')
    .flatMap((line) => breakRows(line, widest, 0));
  return rows.join('\n');
}

/** What stands before each row, and a column that stays free. */
const margin = 4;
const leastColumns = 20;

interface Asking {
  readonly clack: typeof Clack;
  readonly process: NodeJS.Process;
  readonly place: { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream };
  readonly words: QuestionWords;
}

async function choose<Value extends string>(
  message: string,
  choices: readonly Choice<Value>[],
  first: Value | undefined,
  { clack, place }: Asking,
): Promise<Value> {
  const answer = await clack.select<string>({
    ...place,
    message: printed(message),
    options: choices.map(({ value, label, hint }) => ({
      value,
      label: printed(label),
      ...(hint === undefined ? {} : { hint: printed(hint) }),
    })),
    showInstructions: false,
    maxItems: mostShown,
    ...(first === undefined ? {} : { initialValue: first }),
  });
  const chosen = choices.find(({ value }) => value === answer);
  if (chosen === undefined) throw new CancelledError();
  return chosen.value;
}

/** At once; the others come into view as the cursor moves. */
const mostShown = 12;

async function agree(message: string, { clack, place, words }: Asking): Promise<boolean> {
  const answer = await clack.confirm({
    ...place,
    message: printed(message),
    active: words.yes,
    inactive: words.no,
  });
  if (typeof answer !== 'boolean') throw new CancelledError();
  return answer;
}

async function during<Result>(
  message: string,
  work: () => Promise<Result>,
  { clack, process, place, words }: Asking,
): Promise<Result> {
  const shown = clack.spinner({ ...place, cancelMessage: words.cancelled });
  const failing = failingExit(process);
  // Here the library ends the process at ctrl-c, as if all were done.
  process.on('exit', failing);
  shown.start(printed(message));
  try {
    return await work();
  } finally {
    shown.clear();
    process.off('exit', failing);
  }
}

function failingExit(process: NodeJS.Process): () => void {
  return () => {
    process.exitCode = exitCodes.failed;
  };
}

/** Pasted values bring spaces and line ends. */
function typed(answer: string | symbol | undefined): string {
  if (typeof answer === 'symbol') throw new CancelledError();
  return (answer ?? '').trim();
}
