import { emitKeypressEvents, type Key } from 'node:readline';
import { Readable } from 'node:stream';
import type { Clock } from '../../src/lib/clock.ts';
import type { TerminalStreams } from './streams.ts';

const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';
const interrupt = '\u0003';
/** In ms. A ctrl-c after such a pause is a key press: the end mark of the paste was lost. */
const deadPause = 1000;

interface KeysDependencies {
  readonly input: TerminalStreams['input'];
  readonly clock: Clock;
  /** Called with a complete paste. */
  onPaste(text: string): void;
  onEnd(): void;
}

/** Separates key presses from pastes: a line end in a paste must not act as Enter. */
export function createKeys({ input, clock, onPaste, onEnd }: KeysDependencies) {
  /** For readline, which gets key events from it but reads no data. */
  const stream = new Readable({ read() {} });
  /** The chunks of a paste in progress. */
  let pasted: string[] | undefined;
  /** The last characters, to find marks that arrive in pieces. */
  let tail = '';
  let heardAt = 0;

  function hear(text: string | undefined, key: Key): void {
    // The sequences of all keys together are the complete input.
    const sequence = key.sequence ?? text ?? '';
    const isLate = clock.now() - heardAt >= deadPause;
    heardAt = clock.now();
    tail = (tail + sequence).slice(-pasteEnd.length);

    if (tail === pasteStart && pasted === undefined) {
      pasted = [];
    } else if (pasted === undefined || (sequence === interrupt && isLate)) {
      pasted = undefined;
      stream.emit('keypress', text, key);
    } else {
      pasted.push(sequence);
      if (tail !== pasteEnd) return;
      const whole = pasted.join('').slice(0, -pasteEnd.length);
      pasted = undefined;
      onPaste(whole);
    }
  }

  return {
    stream,

    /** Starts listening, key by key. */
    open(): void {
      // Stays after the stop: a late error must not end the process.
      input.on('error', onEnd);
      input.on('end', onEnd);
      emitKeypressEvents(input);
      input.on('keypress', hear);
      input.setRawMode?.(true);
      input.resume();
    },

    close(): void {
      input.off('keypress', hear).off('end', onEnd);
      input.setRawMode?.(false);
      input.pause();
    },

    /** Gives the keys to the shell. */
    release: (): unknown => input.setRawMode?.(false),

    /** Takes the keys back. */
    regain(): void {
      // The shell may have changed the mode, and only a change reaches the terminal.
      input.setRawMode?.(false);
      input.setRawMode?.(true);
      input.resume();
    },
  };
}
