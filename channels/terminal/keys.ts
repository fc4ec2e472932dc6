import { emitKeypressEvents, type Key } from 'node:readline';
import { Readable } from 'node:stream';
import type { Clock } from '../../src/lib/clock.ts';
import type { TerminalStreams } from './streams.ts';

const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';
const interrupt = '\u0003';
/** In milliseconds. A ctrl-c after such a pause is pressed, not pasted: the end of the paste got lost. */
const deadPause = 1000;

interface KeysDependencies {
  readonly input: TerminalStreams['input'];
  readonly clock: Clock;
  /** A whole paste, as it came. */
  onPaste(text: string): void;
  /** Nothing more will come. */
  onEnd(): void;
}

/** The keys that are pressed, apart from what is pasted: a line end in a paste is no press of Enter. */
export function createKeys({ input, clock, onPaste, onEnd }: KeysDependencies) {
  /** For readline: it hears the keys here, and reads nothing. */
  const stream = new Readable({ read() {} });
  /** What has been pasted so far, during a paste. */
  let pasted: string[] | undefined;
  /** The last characters, to find a mark in them however it was cut. */
  let tail = '';
  let heardAt = 0;

  function hear(text: string | undefined, key: Key): void {
    // The sequences of all keys together are the whole input, whatever was made of it.
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

    /** Begins to listen, key by key. */
    open(): void {
      // It stays when the channel stops: an error that is told later must not end the process.
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

    /** Leaves the keys to the shell. */
    release: (): unknown => input.setRawMode?.(false),

    /** Takes the keys again. */
    regain(): void {
      // Only a change reaches the terminal, which the shell may have changed in the meantime.
      input.setRawMode?.(false);
      input.setRawMode?.(true);
      input.resume();
    },
  };
}
