import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Display } from './display.ts';
import type { OpenCard } from './open-cards.ts';
import type { Output } from './output.ts';
import { questionFor } from './question.ts';
import { type TerminalStreams, widthOf } from './streams.ts';
import { lastRow } from './text-width.ts';

const sign = '› ';
const historySize = 200;

export interface ScreenHandlers {
  /** A line, with the card that the prompt asked for when its first character was typed. */
  onLine(line: string, card: OpenCard | undefined): void;
  onInterrupt(): void;
  /** The person closed the input, or the terminal is gone. */
  onEnd(): void;
}

/**
 * A prompt at the bottom, and everything else above it. What the person is typing is kept when something is shown, and
 * while he types, the prompt goes on asking what it asked when he began: no answer meets a card that came under it.
 */
export class Screen implements Display {
  readonly isLive = true;
  readonly #dependencies: { readonly streams: TerminalStreams; readonly output: Output };
  #readline: Interface | undefined;
  /** What stands on the last row above the prompt, while that row is still being written. */
  #openRow = '';
  #wanted: OpenCard | undefined;
  #shown: OpenCard | undefined;
  /** Collects what readline writes, so that one change is one write: no flicker. */
  #collected: string | undefined;
  #forgetSize: () => void = () => {};

  constructor(dependencies: { readonly streams: TerminalStreams; readonly output: Output }) {
    this.#dependencies = dependencies;
  }

  /** Shows the prompt and begins to read. */
  open(handlers: ScreenHandlers): void {
    const { input } = this.#dependencies.streams;
    const readline = createInterface({ input, output: this.#readlineOutput(), terminal: true, historySize });
    this.#readline = readline;
    // Heard after readline has obeyed the key: when the line is empty again, the prompt may ask for another card.
    input.on('keypress', this.#catchUp);
    readline.on('line', (line) => this.#endLine(line, handlers));
    readline.on('SIGINT', () => handlers.onInterrupt());
    // A terminal that went away fails to be read.
    readline.on('error', () => readline.close());
    readline.on('close', () => {
      const wasOpen = this.#readline !== undefined;
      this.#leave(readline);
      if (wasOpen) handlers.onEnd();
    });
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
    if (this.#openRow !== '') await this.#dependencies.output.write(this.#above('\n'));
  }

  ask(card: OpenCard | undefined): void {
    this.#wanted = card;
    if (card !== this.#shown) this.#put('');
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
    if (this.#readline?.line === '' && this.#shown !== this.#wanted) this.#put('');
  };

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
    const rows = readline.getCursorPos().rows + (this.#openRow === '' ? 0 : 1);
    return `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;
  }

  #prompt(readline: Interface): string {
    if (readline.line === '') {
      this.#shown = this.#wanted;
      readline.setPrompt(this.#shown === undefined ? sign : `${questionFor(this.#shown.buttons)} ${sign}`);
    }
    // Before it draws, readline goes up by the rows that it drew last: they are given to it, below what was printed.
    this.#collected = '\n'.repeat(drawnRows(readline));
    readline.prompt(true);
    const drawn = this.#collected;
    this.#collected = undefined;
    return drawn;
  }

  #endLine(line: string, handlers: ScreenHandlers): void {
    const readline = this.#readline;
    if (readline === undefined) return;
    const card = this.#shown;
    // What was typed stays where it is, so nothing can be added to the row above it.
    this.#openRow = '';
    this.#dependencies.output.writeSoon(this.#prompt(readline));
    handlers.onLine(line, card);
  }

  #leave(readline: Interface): void {
    if (this.#readline === undefined) return;
    this.#dependencies.output.writeSoon(`${this.#erase(readline)}${this.#openRow}`);
    this.#readline = undefined;
    this.#dependencies.streams.input.off('keypress', this.#catchUp);
    this.#forgetSize();
  }

  #readlineOutput(): Writable {
    const { streams, output } = this.#dependencies;
    const writable = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        if (this.#collected === undefined) output.writeSoon(String(chunk));
        else this.#collected += String(chunk);
        done();
      },
    });
    const sized = Object.assign(writable, { columns: widthOf(streams) });
    const resize = (): void => {
      sized.columns = widthOf(streams);
      sized.emit('resize');
    };
    streams.output.on('resize', resize);
    this.#forgetSize = () => streams.output.off('resize', resize);
    return sized;
  }
}

/** How many rows readline believes to stand below the start of its prompt. It has no documented name for it. */
function drawnRows(readline: Interface): number {
  if ('prevRows' in readline && typeof readline.prevRows === 'number') return readline.prevRows;
  return readline.getCursorPos().rows;
}
