import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Clock } from '../../src/lib/clock.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { createKeys } from './keys.ts';
import { type Output, sign, stripControls } from './output.ts';
import type { Display } from './question.ts';
import { type OpenCard, promptFor, type Question } from './question.ts';
import { type TerminalStreams, widthOf } from './streams.ts';
import { lastRow } from './text-width.ts';

/** A longer text is not shown in the line: it would fill the screen, and be drawn again at each key. */
const longestShown = 400;
/** So many long texts are kept, for lines that are called back. */
const mostKept = 50;
/** Stands in the line for a line end, which would send it: a character for private use, as wide as what it is shown as. */
const breakMark = '\ue00a';
const placeholder = /\[paste \d+: \d+ lines?, \d+ characters\]/g;

/** Texts that were pasted into a line. */
function createPastes() {
  const long = new Remembered<string, string>(mostKept);
  let count = 0;

  function keep(text: string): string {
    count += 1;
    const lines = text.trimEnd().split('\n').length;
    const label = `[paste ${count}: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${text.length} characters]`;
    long.set(label, text);
    return label;
  }

  return {
    /** What to put into the line for the text. */
    toLine(pasted: string): string {
      const text = stripControls(pasted.replace(/\r\n?/g, '\n').replaceAll(breakMark, ''));
      return text.length <= longestShown ? text.replaceAll('\n', breakMark) : keep(text);
    },

    /** What the line says in full. */
    toText: (line: string): string =>
      line.replaceAll(breakMark, '\n').replace(placeholder, (label) => long.get(label) ?? label),
  };
}

/** What is drawn for a line. */
function showBreaks(line: string): string {
  return line.replaceAll(breakMark, '⏎');
}

const historySize = 200;
/** A terminal that knows them marks where a paste begins and ends. */
const marksOn = '\u001b[?2004h';
const marksOff = '\u001b[?2004l';

/** A line that the person has sent. */
export interface TypedLine {
  readonly text: string;
  /** What the prompt asked for when its first character was typed. */
  readonly card: OpenCard | undefined;
  /** Whether not all of it was typed. */
  readonly hasPaste: boolean;
}

export interface ScreenHandlers {
  onLine(line: TypedLine): void;
  /** The person has taken back a line that they had begun. */
  onClear(): void;
  /** ctrl-c on an empty line. */
  onInterrupt(): void;
  /** The person closed the input, or the terminal is gone. */
  onEnd(): void;
}

/**
 * A prompt at the bottom, and everything else above it. What the person is typing is kept when something is shown, and
 * while they type, the prompt goes on asking what it asked when they began: no answer meets a card that came under it.
 */
export function createScreen(streams: TerminalStreams, output: Output, clock: Clock) {
  const { input, process: control } = streams;
  const pastes = createPastes();
  const keys = createKeys({ input, clock, onPaste: paste, onEnd: () => readline?.close() });
  const drawing = createDrawing(streams, output);
  let readline: Interface | undefined;
  /** What stands on the last row above the prompt, while that row is still being written. */
  let openRow = '';
  let wanted: Question | undefined;
  let shown: Question | undefined;
  /** Whether something in the line was pasted. */
  let hasPaste = false;
  /** The shell has had the terminal: nothing that it shows is ours to erase. */
  let isSuspended = false;
  /** What to call when the terminal is given back. */
  let undo: readonly (() => void)[] = [];

  /** When the line is empty again, the prompt may ask for another card. */
  function catchUp(): void {
    if (readline?.line !== '') return;
    hasPaste = false;
    if (!isSame(shown, wanted)) put('');
  }

  function paste(text: string): void {
    const words = pastes.toLine(text);
    if (readline === undefined || words === '') return;
    hasPaste = true;
    readline.write(words);
  }

  /** ctrl-c takes back what was typed, if anything was. */
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

  /** The shell gives the terminal back, and has changed it. */
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

  /** What to write so that the text follows what stands above the prompt. */
  function above(text: string): string {
    const erased = readline === undefined ? '' : erase(readline);
    const whole = openRow + text;
    openRow = lastRow(whole, widthOf(streams));
    if (readline === undefined) return text;
    // An open row has been erased together with the prompt, which stands on a row of its own.
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
      const question = shown === undefined ? '' : `${promptFor(shown, widthOf(streams))} `;
      reader.setPrompt(`${question}${sign} `);
    }
    return drawing.prompt(reader);
  }

  function endLine(line: string, handlers: ScreenHandlers): void {
    if (readline === undefined) return;
    const typed = { text: pastes.toText(line), card: shown?.card, hasPaste };
    hasPaste = false;
    // What was typed stays where it is, so nothing can be added to the row above it.
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
    printSoon: (lines) => put(asLines(lines)),
    append(text) {
      if (text !== '') put(text);
    },
    // Written even if it is empty: what was appended before may not have been taken.
    endRow: () => output.write(openRow === '' ? '' : above('\n')),
    ask(question) {
      wanted = question;
      if (!isSame(question, shown)) put('');
    },
  };

  return {
    display,

    /** Shows the prompt and begins to read. */
    open(handlers: ScreenHandlers): void {
      const reader = createInterface({ input: keys.stream, output: drawing.stream, terminal: true, historySize });
      readline = reader;
      keys.open();
      // Heard after readline has obeyed the key.
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

    /** Gives the terminal back as it was. */
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

function isSame(one: Question | undefined, other: Question | undefined): boolean {
  return one?.card === other?.card && one?.waiting === other?.waiting;
}

/** What readline draws. It can be collected, so that one change is one write: no flicker. */
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
  /** For readline to write to. */
  const stream = Object.assign(writable, { columns: widthOf(streams) });
  const resize = (): void => {
    stream.columns = widthOf(streams);
    stream.emit('resize');
  };
  streams.output.on('resize', resize);
  return {
    stream,

    /** The prompt with the line, as it is to be written where the cursor is. */
    prompt(readline: Interface): string {
      // Before it draws, readline goes up by the rows that it drew last: they are given to it, below what was printed.
      collected = '\n'.repeat(drawnRows(readline));
      readline.prompt(true);
      const drawn = collected;
      collected = undefined;
      return drawn;
    },

    /** Follows the size of the terminal no more. */
    close(): void {
      streams.output.off('resize', resize);
    },
  };
}

/** How many rows readline believes to stand below the start of its prompt. It has no documented name for it. */
function drawnRows(readline: Interface): number {
  if ('prevRows' in readline && typeof readline.prevRows === 'number') return readline.prevRows;
  return readline.getCursorPos().rows;
}
