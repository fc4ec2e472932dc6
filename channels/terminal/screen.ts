import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Clock } from '../../src/lib/clock.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { lastRow } from '../../src/lib/text-width.ts';
import { createKeys } from './keys.ts';
import { type Display, type OpenCard, promptFor, type Question } from './question.ts';
import { sign, stripControls } from './render.ts';
import { type Output, type TerminalStreams, widthOf } from './streams.ts';
import type { TerminalWords } from './words.ts';

/** Longer pastes are shown as a placeholder: they would fill the screen, and be redrawn at each key. */
const longestShown = 400;
/** Long pastes kept for lines recalled from the history. */
const mostKept = 50;
/** Stands for a line end in the line, where a real one would send it. Private use, as wide as its display. */
const breakMark = '\ue00a';
/** What may be the placeholder of a paste, in any language. */
const placeholder = /\[[^[\]]+\]/g;

/** Texts pasted into the line. */
function createPastes(words: () => TerminalWords) {
  const long = new Remembered<string, string>(mostKept);
  let count = 0;

  function keep(text: string): string {
    count += 1;
    const lines = text.trimEnd().split('\n').length;
    const label = words().pasted({ number: count, lines, characters: text.length });
    long.set(label, text);
    return label;
  }

  return {
    /** The text to insert into the line for a paste. */
    toLine(pasted: string): string {
      const text = stripControls(pasted.replace(/\r\n?/g, '\n').replaceAll(breakMark, ''));
      return text.length <= longestShown ? text.replaceAll('\n', breakMark) : keep(text);
    },

    /** The full text of a line. */
    toText: (line: string): string =>
      line.replaceAll(breakMark, '\n').replace(placeholder, (label) => long.get(label) ?? label),
  };
}

function showBreaks(line: string): string {
  return line.replaceAll(breakMark, '⏎');
}

const historySize = 200;
/** Bracketed paste: the terminal marks where a paste begins and ends. */
const marksOn = '\u001b[?2004h';
const marksOff = '\u001b[?2004l';

/** A sent line. */
export interface TypedLine {
  readonly text: string;
  /** The card that the prompt asked for when typing began. */
  readonly card: OpenCard | undefined;
  /** Whether part of it was pasted. */
  readonly hasPaste: boolean;
}

export interface ScreenHandlers {
  onLine(line: TypedLine): void;
  /** The person has deleted an unfinished line. */
  onClear(): void;
  /** Ctrl-c on an empty line. */
  onInterrupt(): void;
  /** The person has closed the input, or the terminal is gone. */
  onEnd(): void;
}

export interface ScreenParts {
  readonly streams: TerminalStreams;
  readonly output: Output;
  readonly words: () => TerminalWords;
  readonly clock: Clock;
}

/**
 * A prompt at the bottom, with all output above it. Output keeps the line being typed. While the person types, the
 * prompt keeps its question, so that an answer never goes to a card that arrived later.
 */
export function createScreen({ streams, output, words, clock }: ScreenParts) {
  const { input, process: control } = streams;
  const pastes = createPastes(words);
  const keys = createKeys({ input, clock, onPaste: paste, onEnd: () => readline?.close() });
  const drawing = createDrawing(streams, output);
  let readline: Interface | undefined;
  /** The unfinished row above the prompt. */
  let openRow = '';
  let wanted: Question | undefined;
  let shown: Question | undefined;
  /** Whether part of the line was pasted. */
  let hasPaste = false;
  /** The shell has the terminal: what is on it is not ours to erase. */
  let isSuspended = false;
  /** Cleanups for `close`. */
  let undo: readonly (() => void)[] = [];

  /** Once the line is empty, the prompt may ask another card. */
  function catchUp(): void {
    if (readline?.line !== '') return;
    hasPaste = false;
    if (shown !== wanted) put('');
  }

  function paste(text: string): void {
    const words = pastes.toLine(text);
    if (readline === undefined || words === '') return;
    hasPaste = true;
    readline.write(words);
  }

  /** Ctrl-c deletes the line, if it is not empty. */
  function interrupt(reader: Interface, handlers: ScreenHandlers): void {
    if (reader.line === '') {
      handlers.onInterrupt();
      return;
    }
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    handlers.onClear();
  }

  function suspend(reader: Interface): void {
    if (control === undefined) return;
    output.writeSoon(`${erase(reader)}${openRow === '' ? '' : `${openRow}\n`}${marksOff}`);
    openRow = '';
    isSuspended = true;
    keys.release();
    control.suspend(goOn);
  }

  /** Back from the shell, which has changed the terminal. */
  function goOn(): void {
    if (readline === undefined) return;
    keys.regain();
    output.writeSoon(marksOn);
    put('');
    isSuspended = false;
  }

  function asLines(lines: string): string {
    return `${openRow === '' ? '' : '\n'}${lines}\n`;
  }

  function put(text: string): void {
    output.writeSoon(above(text));
  }

  /** The output that appends the text above the prompt. */
  function above(text: string): string {
    const erased = readline === undefined ? '' : erase(readline);
    const whole = openRow + text;
    openRow = lastRow(whole, widthOf(streams));
    if (readline === undefined) return text;
    // An open row was erased together with the prompt, which has its own row.
    return `${erased}${whole}${openRow === '' ? '' : '\n'}${prompt(readline)}`;
  }

  function erase(reader: Interface): string {
    if (isSuspended) return '';
    const rows = reader.getCursorPos().rows + (openRow === '' ? 0 : 1);
    return `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;
  }

  function prompt(reader: Interface): string {
    if (reader.line === '') {
      shown = wanted;
      const question = shown === undefined ? '' : `${promptFor(shown, widthOf(streams), words())} `;
      reader.setPrompt(`${question}${sign} `);
    }
    return drawing.prompt(reader);
  }

  function endLine(line: string, handlers: ScreenHandlers): void {
    if (readline === undefined) return;
    const typed = { text: pastes.toText(line), card: shown?.card, hasPaste };
    hasPaste = false;
    // The typed line stays on the screen, so the row above it is complete.
    openRow = '';
    output.writeSoon(prompt(readline));
    handlers.onLine(typed);
  }

  function leave(reader: Interface): void {
    if (readline === undefined) return;
    output.writeSoon(`${erase(reader)}${openRow}${marksOff}`);
    readline = undefined;
    keys.stream.off('keypress', catchUp);
    keys.close();
    for (const callOff of undo) callOff();
  }

  const display: Display = {
    isLive: true,
    get columns() {
      return widthOf(streams);
    },
    print: (lines) => output.write(above(asLines(lines))),
    append(text) {
      if (text !== '') put(text);
    },
    // Write even an empty text, to learn whether earlier appends were written.
    endRow: () => output.write(openRow === '' ? '' : above('\n')),
    ask(question) {
      wanted = question;
      if (question !== shown) put('');
    },
  };

  return {
    display,

    /** Shows the prompt and starts reading. */
    open(handlers: ScreenHandlers): void {
      const reader = createInterface({ input: keys.stream, output: drawing.stream, terminal: true, historySize });
      readline = reader;
      keys.open();
      // Runs after readline's own handler.
      keys.stream.on('keypress', catchUp);
      reader.on('line', (line) => endLine(line, handlers));
      reader.on('SIGINT', () => interrupt(reader, handlers));
      reader.on('SIGTSTP', () => suspend(reader));
      reader.on('close', () => {
        const wasOpen = readline !== undefined;
        leave(reader);
        if (wasOpen) handlers.onEnd();
      });
      const stopHearing = control?.onContinue(goOn);
      const stayMarked = control?.onExit(() => output.writeSoon(marksOff));
      undo = [drawing.close, stopHearing, stayMarked].flatMap((callOff) => callOff ?? []);
      output.writeSoon(marksOn);
      put('');
    },

    /** Restores the terminal. */
    close(): void {
      const reader = readline;
      if (reader !== undefined) {
        leave(reader);
        reader.close();
      }
      if (openRow !== '') put('\n');
    },
  };
}

/** Collects what readline draws, so that each change is one write, without flicker. */
function createDrawing(streams: TerminalStreams, output: Output) {
  let collected: string | undefined;
  const writable = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const shown = showBreaks(String(chunk));
      if (collected === undefined) output.writeSoon(shown);
      else collected += shown;
      done();
    },
  });
  const stream = Object.assign(writable, { columns: widthOf(streams) });
  const resize = (): void => {
    stream.columns = widthOf(streams);
    stream.emit('resize');
  };
  streams.output.on('resize', resize);
  return {
    stream,

    /** The drawn prompt and line, to write at the cursor. */
    prompt(readline: Interface): string {
      // readline first moves up by the rows drawn last: add them, below the printed text.
      collected = '\n'.repeat(drawnRows(readline));
      readline.prompt(true);
      const drawn = collected;
      collected = undefined;
      return drawn;
    },

    /** Stops following the terminal's size. */
    close(): void {
      streams.output.off('resize', resize);
    },
  };
}

/** Rows that readline believes to be below the start of its prompt, from an undocumented field. */
function drawnRows(readline: Interface): number {
  if ('prevRows' in readline && typeof readline.prevRows === 'number') return readline.prevRows;
  return readline.getCursorPos().rows;
}
