import { Remembered } from '../../src/lib/remembered.ts';
import { stripControls } from './render.ts';
import type { TerminalWords } from './words.ts';

/** Longer pastes are shown as a placeholder: they would fill the screen, and be redrawn at each key. */
const longestShown = 400;
/** Long pastes kept for lines recalled from the history. */
const mostKept = 50;
/** Stands for a line end in the line, where a real one would send it. Private use, as wide as its display. */
export const breakMark = '\ue00a';
/** What may be the placeholder of a paste, in any language. */
const placeholder = /\[[^[\]]+\]/g;

/** Texts pasted into the line. */
export interface Pastes {
  /** The text to insert into the line for a paste. */
  toLine(pasted: string): string;
  /** The full text of a line. */
  toText(line: string): string;
  /** It stands for itself: no longer paste is in it. */
  isShort(line: string): boolean;
}

export function createPastes(words: () => TerminalWords): Pastes {
  const long = new Remembered<string, string>(mostKept);
  let count = 0;
  const withLong = (line: string): string => line.replace(placeholder, (label) => long.get(label) ?? label);
  return {
    toLine(pasted) {
      const text = stripControls(pasted.replace(/\r\n?/g, '\n').replaceAll(breakMark, ''));
      if (text.length <= longestShown) return text.replaceAll('\n', breakMark);
      count += 1;
      const lines = text.trimEnd().split('\n').length;
      const label = words().pasted({ number: count, lines, characters: text.length });
      long.set(label, text);
      return label;
    },

    toText: (line) => withLong(line.replaceAll(breakMark, '\n')),
    isShort: (line) => withLong(line) === line,
  };
}

/** The line as it is displayed. */
export function showBreaks(line: string): string {
  return line.replaceAll(breakMark, '⏎');
}
