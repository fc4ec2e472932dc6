import type { Writable } from 'node:stream';
import { ChannelError } from '../../src/contract.ts';

/** Where all text goes. When nobody reads it any more, it says so once, and takes no further text. */
export function createOutput(stream: Writable, onBroken: (error: Error) => void) {
  let isBroken = false;

  function end(error: Error): void {
    if (isBroken) return;
    isBroken = true;
    onBroken(error);
  }

  // It stays when the channel stops: an error that is told later must not end the process.
  stream.on('error', end);
  return {
    /** Resolves when the text was taken. Throws `ChannelError`: what was not shown is to be shown at the next start. */
    write(text: string): Promise<void> {
      if (isBroken) return Promise.reject(broken());
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (!error) return resolve();
          end(error);
          reject(broken(error));
        });
      });
    },

    /** Writes what may be lost. */
    writeSoon(text: string): void {
      if (isBroken) return;
      stream.write(text, (error) => {
        if (error) end(error);
      });
    },
  };
}

export type Output = ReturnType<typeof createOutput>;

function broken(cause?: Error): ChannelError {
  return new ChannelError({ type: 'transient' }, 'Nobody reads the output any more.', cause && { cause });
}

/** What stands behind it at the start of a row is said by Keyturn: cards, their outcome, questions and notices. */
export const bar = '│';
/** What stands behind it was typed by the person. */
export const sign = '›';

/** The bar, and what could be taken for it. */
const bars =
  /[\u01c0\u05c0\u2016\u2223\u23aa\u23b8\u23b9\u23d0\u2502\u2503\u2506\u2507\u250a\u250b\u254e\u254f\u2551\u2575\u2577\u2579\u257b\u257d\u257f\u2588-\u2590\u2595\u2758-\u275a\uff5c\uffe8]/gu;
const signs = /[\u203a\u276d\u276f]/gu;

/**
 * The text of somebody else, without the marks that only Keyturn writes. They are replaced everywhere, since a long line
 * can be broken before any character. Works character by character: a text may come in pieces.
 */
export function withoutOwnMarks(text: string): string {
  return text.replace(bars, '|').replace(signs, '>');
}

/** How text is set off on this terminal. */
export interface Style {
  /** Whether markdown is shown as what it means, or as it is written. */
  readonly rendersMarkdown: boolean;
  bold(text: string): string;
  dim(text: string): string;
  code(text: string): string;
}

/** Sets nothing off: for pipes, and where the person wants no colour. */
export const plainStyle: Style = {
  rendersMarkdown: false,
  bold: (text) => text,
  dim: (text) => text,
  code: (text) => text,
};

/** Each ends what it began, and nothing else. */
export const ansiStyle: Style = {
  rendersMarkdown: true,
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  code: (text) => `\u001b[36m${text}\u001b[39m`,
};

const escapeCharacter = '\u001b';
const bell = '\u0007';
/** Two spellings each, of seven and of eight bits. */
const control = `(?:${escapeCharacter}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
/** It carries a text, such as a title. A text without an end is not looked for far: it stays, and does no harm. */
const string = `(?:${escapeCharacter}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])\\P{Cc}{0,500}(?:${bell}|${escapeCharacter}\\\\|\u009c)`;
const other = `${escapeCharacter}[ -/]*[0-~]`;
const sequences = new RegExp(`${control}|${string}|${other}`, 'gu');
/** Everything else that a terminal obeys instead of showing it, but line ends and tabs. */
const controls = /[^\P{Cc}\n\t]/gu;
/** They make text read in another order than it is written in: `exe.txt` for `txt.exe`. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/gu;
/** A whole sequence at the start, but a string: that ends with a control character. */
const whole = /^.\[?[ -?]*[@-Z\\^-~]/su;
const longestSequence = 256;

/** Line ends that most terminals do not know, and some programs obey. */
const lineEnds = /[\u2028\u2029]/gu;

/** Takes out what would move the cursor, colour, clear, retitle or reorder: nobody can forge the screen with the rest. */
export function stripControls(text: string): string {
  return text.replace(sequences, '').replace(controls, '').replace(reordering, '').replace(lineEnds, '\n');
}

/** The same for a text that comes in pieces: a sequence or a character that is cut between two is put together. */
export class StreamStripper {
  #held = '';

  /** What can be shown by now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = endOfWhole(text);
    this.#held = text.slice(end);
    return stripControls(text.slice(0, end));
  }

  /** What was held back. */
  flush(): string {
    const text = this.#held;
    this.#held = '';
    return stripControls(text);
  }
}

function endOfWhole(text: string): number {
  const start = text.lastIndexOf(escapeCharacter);
  const tail = start < 0 ? '' : text.slice(start, start + longestSequence);
  if (start >= 0 && tail.length < longestSequence && !whole.test(tail)) return start;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
