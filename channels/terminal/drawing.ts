import type { Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Output } from './output.ts';
import { showBreaks } from './pastes.ts';
import { type TerminalStreams, widthOf } from './streams.ts';

/** What readline draws. It can be collected, so that one change is one write: no flicker. */
export class Drawing {
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
