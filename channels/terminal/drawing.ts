import type { Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { showBreaks } from './pastes.ts';
import { type Output, type TerminalStreams, widthOf } from './streams.ts';

/** What readline draws, collected so that each change is one write, without flicker. */
export interface Drawing {
  readonly stream: Writable;
  /** The drawn prompt and line, to write at the cursor. */
  prompt(readline: Interface): string;
  /** Stops following the terminal's size. */
  close(): void;
}

/** `onResize`: the terminal has another width. */
export function createDrawing(streams: TerminalStreams, output: Output, onResize: () => void): Drawing {
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
    const before = stream.columns;
    stream.columns = widthOf(streams);
    if (stream.columns === before) stream.emit('resize');
    else onResize();
  };
  streams.output.on('resize', resize);
  return {
    stream,

    prompt(readline) {
      // readline first moves up by the rows drawn last: add them, below the printed text.
      collected = '\n'.repeat(drawnRows(readline));
      readline.prompt(true);
      const drawn = collected;
      collected = undefined;
      return drawn;
    },

    close: () => void streams.output.off('resize', resize),
  };
}

/** Rows that readline believes to be below the start of its prompt, from an undocumented field. */
function drawnRows(readline: Interface): number {
  if ('prevRows' in readline && typeof readline.prevRows === 'number') return readline.prevRows;
  return readline.getCursorPos().rows;
}
