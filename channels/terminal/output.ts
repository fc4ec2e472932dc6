import type { Writable } from 'node:stream';
import { ChannelError } from '../../src/contract.ts';

/** All output goes through here. When nobody reads it any more, calls `onBroken` once and accepts no further text. */
export function createOutput(stream: Writable, onBroken: (error: Error) => void) {
  let isBroken = false;

  function end(error: Error): void {
    if (isBroken) return;
    isBroken = true;
    onBroken(error);
  }

  // Stays after the stop: a late error must not end the process.
  stream.on('error', end);
  return {
    /** Resolves when the text is written. Rejects with `ChannelError`, so that it is shown at the next start. */
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

    /** Writes text that may be lost. */
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
  return new ChannelError({ type: 'transient' }, 'Nobody reads the output.', cause && { cause });
}

/** Starts rows by Keyturn itself: cards, their outcome, questions and notices. */
export const bar = '│';
/** Starts rows typed by the person. */
export const sign = '›';

/** The bar and its look-alikes. */
const bars =
  /[\u01c0\u05c0\u2016\u2223\u23aa\u23b8\u23b9\u23d0\u2502\u2503\u2506\u2507\u250a\u250b\u254e\u254f\u2551\u2575\u2577\u2579\u257b\u257d\u257f\u2588-\u2590\u2595\u2758-\u275a\uff5c\uffe8]/gu;
const signs = /[\u203a\u276d\u276f]/gu;

/**
 * Replaces Keyturn's own marks in text by others. Everywhere, since a long line may be broken before any character;
 * character by character, since text may arrive in pieces.
 */
export function withoutOwnMarks(text: string): string {
  return text.replace(bars, '|').replace(signs, '>');
}

/** Styles of a terminal. */
export interface Style {
  /** Whether to render markdown, or show its source. */
  readonly rendersMarkdown: boolean;
  bold(text: string): string;
  dim(text: string): string;
  code(text: string): string;
}

/** No styles: for pipes, and if the person wants no colour. */
export const plainStyle: Style = {
  rendersMarkdown: false,
  bold: (text) => text,
  dim: (text) => text,
  code: (text) => text,
};

/** Each resets only what it has set. */
export const ansiStyle: Style = {
  rendersMarkdown: true,
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  code: (text) => `\u001b[36m${text}\u001b[39m`,
};

const escapeCharacter = '\u001b';
const bell = '\u0007';
/** Control sequences, in 7-bit and 8-bit form. */
const control = `(?:${escapeCharacter}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
/** String sequences, such as titles. An unterminated one is searched only so far; what stays is harmless. */
const string = `(?:${escapeCharacter}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])\\P{Cc}{0,500}(?:${bell}|${escapeCharacter}\\\\|\u009c)`;
const other = `${escapeCharacter}[ -/]*[0-~]`;
const sequences = new RegExp(`${control}|${string}|${other}`, 'gu');
/** All other control characters except line ends and tabs. */
const controls = /[^\P{Cc}\n\t]/gu;
/** Bidi controls, which reorder text: `exe.txt` for `txt.exe`. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/gu;
/** A complete sequence at the start, except strings, which end with a control character. */
const whole = /^.\[?[ -?]*[@-Z\\^-~]/su;
const longestSequence = 256;

/** Line ends unknown to most terminals, but obeyed by some programs. */
const lineEnds = /[\u2028\u2029]/gu;

/** Removes what could move the cursor, style, clear, retitle or reorder, so that nobody can forge the screen. */
export function stripControls(text: string): string {
  return text.replace(sequences, '').replace(controls, '').replace(reordering, '').replace(lineEnds, '\n');
}

/** The same for streamed text: holds back incomplete sequences and characters. */
export class StreamStripper {
  #held = '';

  /** Returns what can be shown so far. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = endOfWhole(text);
    this.#held = text.slice(end);
    return stripControls(text.slice(0, end));
  }

  /** Returns what was held back. */
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
