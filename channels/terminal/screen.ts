import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Clock } from '../../src/lib/clock.ts';
import { Keys } from './keys.ts';
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
class Pastes {
  readonly #long = new Map<string, string>();
  #count = 0;

  /** What to put into the line for the text. */
  toLine(pasted: string): string {
    const text = stripControls(pasted.replace(/\r\n?/g, '\n').replaceAll(breakMark, ''));
    return text.length <= longestShown ? text.replaceAll('\n', breakMark) : this.#keep(text);
  }

  /** What the line says in full. */
  toText(line: string): string {
    return line.replaceAll(breakMark, '\n').replace(placeholder, (label) => this.#long.get(label) ?? label);
  }

  #keep(text: string): string {
    this.#count += 1;
    const lines = text.trimEnd().split('\n').length;
    const label = `[paste ${this.#count}: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${text.length} characters]`;
    this.#long.set(label, text);
    const [oldest] = this.#long.keys();
    if (oldest !== undefined && this.#long.size > mostKept) this.#long.delete(oldest);
    return label;
  }
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
export class Screen implements Display {
  readonly isLive = true;
  readonly #dependencies: { readonly streams: TerminalStreams; readonly output: Output; readonly clock: Clock };
  readonly #keys: Keys;
  readonly #pastes = new Pastes();
  #readline: Interface | undefined;
  /** What stands on the last row above the prompt, while that row is still being written. */
  #openRow = '';
  #wanted: Question | undefined;
  #shown: Question | undefined;
  /** Whether something in the line was pasted. */
  #hasPaste = false;
  /** The shell has had the terminal: nothing that it shows is ours to erase. */
  #isSuspended = false;
  #drawing: Drawing | undefined;
  /** What to call when the terminal is given back. */
  #undo: readonly (() => void)[] = [];

  constructor(dependencies: { readonly streams: TerminalStreams; readonly output: Output; readonly clock: Clock }) {
    this.#dependencies = dependencies;
    const { streams, clock } = dependencies;
    this.#keys = new Keys({
      input: streams.input,
      clock,
      onPaste: (text) => this.#paste(text),
      onEnd: () => this.#readline?.close(),
    });
  }

  get columns(): number {
    return widthOf(this.#dependencies.streams);
  }

  /** Shows the prompt and begins to read. */
  open(handlers: ScreenHandlers): void {
    const { streams, output } = this.#dependencies;
    const keys = this.#keys.stream;
    const drawing = new Drawing({ streams, output });
    const readline = createInterface({ input: keys, output: drawing.stream, terminal: true, historySize });
    this.#readline = readline;
    this.#drawing = drawing;
    this.#keys.open();
    // Heard after readline has obeyed the key: when the line is empty again, the prompt may ask for another card.
    keys.on('keypress', this.#catchUp);
    readline.on('line', (line) => this.#endLine(line, handlers));
    readline.on('SIGINT', () => this.#interrupt(readline, handlers));
    readline.on('SIGTSTP', () => this.#suspend(readline));
    readline.on('close', () => {
      const wasOpen = this.#readline !== undefined;
      this.#leave(readline);
      if (wasOpen) handlers.onEnd();
    });
    const control = streams.process;
    const stopHearing = control?.onContinue(() => this.#goOn());
    const stayMarked = control?.onExit(() => output.writeSoon(marksOff));
    this.#undo = [() => drawing.close(), stopHearing, stayMarked].flatMap((undo) => undo ?? []);
    output.writeSoon(marksOn);
    this.#put('');
  }

  print(lines: string): Promise<void> {
    return this.#dependencies.output.write(this.#above(this.#asLines(lines)));
  }

  printSoon(lines: string): void {
    this.#put(this.#asLines(lines));
  }

  append(text: string): void {
    if (text !== '') this.#put(text);
  }

  async endRow(): Promise<void> {
    // Written even if it is empty: what was appended before may not have been taken.
    await this.#dependencies.output.write(this.#openRow === '' ? '' : this.#above('\n'));
  }

  ask(question: Question | undefined): void {
    this.#wanted = question;
    if (!isSame(question, this.#shown)) this.#put('');
  }

  /** Gives the terminal back as it was. */
  close(): void {
    const readline = this.#readline;
    if (readline !== undefined) {
      this.#leave(readline);
      readline.close();
    }
    if (this.#openRow !== '') this.#put('\n');
  }

  readonly #catchUp = (): void => {
    if (this.#readline?.line !== '') return;
    this.#hasPaste = false;
    if (!isSame(this.#shown, this.#wanted)) this.#put('');
  };

  #paste(text: string): void {
    const readline = this.#readline;
    const words = this.#pastes.toLine(text);
    if (readline === undefined || words === '') return;
    this.#hasPaste = true;
    readline.write(words);
  }

  /** ctrl-c takes back what was typed, if anything was. */
  #interrupt(readline: Interface, handlers: ScreenHandlers): void {
    if (readline.line === '') {
      handlers.onInterrupt();
      return;
    }
    readline.write(null, { ctrl: true, name: 'e' });
    readline.write(null, { ctrl: true, name: 'u' });
    handlers.onClear();
  }

  #suspend(readline: Interface): void {
    const { streams, output } = this.#dependencies;
    if (streams.process === undefined) return;
    output.writeSoon(`${this.#erase(readline)}${this.#openRow === '' ? '' : `${this.#openRow}\n`}${marksOff}`);
    this.#openRow = '';
    this.#isSuspended = true;
    this.#keys.release();
    streams.process.suspend(() => this.#goOn());
  }

  /** The shell gives the terminal back, and has changed it. */
  #goOn(): void {
    if (this.#readline === undefined) return;
    this.#keys.regain();
    this.#dependencies.output.writeSoon(marksOn);
    this.#put('');
    this.#isSuspended = false;
  }

  #asLines(lines: string): string {
    return `${this.#openRow === '' ? '' : '\n'}${lines}\n`;
  }

  #put(text: string): void {
    this.#dependencies.output.writeSoon(this.#above(text));
  }

  /** What to write so that the text follows what stands above the prompt. */
  #above(text: string): string {
    const readline = this.#readline;
    const erase = readline === undefined ? '' : this.#erase(readline);
    const whole = this.#openRow + text;
    this.#openRow = lastRow(whole, widthOf(this.#dependencies.streams));
    if (readline === undefined) return text;
    // An open row has been erased together with the prompt, which stands on a row of its own.
    return `${erase}${whole}${this.#openRow === '' ? '' : '\n'}${this.#prompt(readline)}`;
  }

  #erase(readline: Interface): string {
    if (this.#isSuspended) return '';
    const rows = readline.getCursorPos().rows + (this.#openRow === '' ? 0 : 1);
    return `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;
  }

  #prompt(readline: Interface): string {
    if (readline.line === '') {
      this.#shown = this.#wanted;
      const question = this.#shown === undefined ? '' : `${promptFor(this.#shown, this.columns)} `;
      readline.setPrompt(`${question}${sign} `);
    }
    return this.#drawing?.prompt(readline) ?? '';
  }

  #endLine(line: string, handlers: ScreenHandlers): void {
    const readline = this.#readline;
    if (readline === undefined) return;
    const card = this.#shown?.card;
    const hasPaste = this.#hasPaste;
    this.#hasPaste = false;
    // What was typed stays where it is, so nothing can be added to the row above it.
    this.#openRow = '';
    this.#dependencies.output.writeSoon(this.#prompt(readline));
    handlers.onLine({ text: this.#pastes.toText(line), card, hasPaste });
  }

  #leave(readline: Interface): void {
    if (this.#readline === undefined) return;
    this.#dependencies.output.writeSoon(`${this.#erase(readline)}${this.#openRow}${marksOff}`);
    this.#readline = undefined;
    this.#keys.stream.off('keypress', this.#catchUp);
    this.#keys.close();
    for (const undo of this.#undo) undo();
  }
}

function isSame(one: Question | undefined, other: Question | undefined): boolean {
  return one?.card === other?.card && one?.waiting === other?.waiting;
}

/** What readline draws. It can be collected, so that one change is one write: no flicker. */
class Drawing {
  readonly #dependencies: { readonly streams: TerminalStreams; readonly output: Output };
  /** For readline to write to. */
  readonly stream: Writable & { columns: number };
  #collected: string | undefined;

  constructor(dependencies: { readonly streams: TerminalStreams; readonly output: Output }) {
    this.#dependencies = dependencies;
    const { streams, output } = dependencies;
    const writable = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        const shown = showBreaks(String(chunk));
        if (this.#collected === undefined) output.writeSoon(shown);
        else this.#collected += shown;
        done();
      },
    });
    this.stream = Object.assign(writable, { columns: widthOf(streams) });
    streams.output.on('resize', this.#resize);
  }

  /** The prompt with the line, as it is to be written where the cursor is. */
  prompt(readline: Interface): string {
    // Before it draws, readline goes up by the rows that it drew last: they are given to it, below what was printed.
    this.#collected = '\n'.repeat(drawnRows(readline));
    readline.prompt(true);
    const drawn = this.#collected;
    this.#collected = undefined;
    return drawn;
  }

  /** Follows the size of the terminal no more. */
  close(): void {
    this.#dependencies.streams.output.off('resize', this.#resize);
  }

  readonly #resize = (): void => {
    this.stream.columns = widthOf(this.#dependencies.streams);
    this.stream.emit('resize');
  };
}

/** How many rows readline believes to stand below the start of its prompt. It has no documented name for it. */
function drawnRows(readline: Interface): number {
  if ('prevRows' in readline && typeof readline.prevRows === 'number') return readline.prevRows;
  return readline.getCursorPos().rows;
}
