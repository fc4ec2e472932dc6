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
  /** Called with a key before readline is. True if readline should not have it. */
  onKey(text: string | undefined, key: Key): boolean;
  onEnd(): void;
}

/** The keys of a terminal. */
export interface Keys {
  /** For readline, which gets key events from it but reads no data. */
  readonly stream: Readable;
  /** Starts listening, key by key. */
  open(): void;
  close(): void;
  /** Gives the keys to the shell. */
  release(): void;
  /** Takes the keys back. */
  regain(): void;
}

interface Hearing {
  readonly dependencies: KeysDependencies;
  readonly stream: Readable;
  /** The chunks of a paste in progress. */
  pasted: string[] | undefined;
  /** The last characters, to find marks that arrive in pieces. */
  tail: string;
  heardAt: number;
}

/** Separates key presses from pastes: a line end in a paste must not act as Enter. */
export function createKeys(dependencies: KeysDependencies): Keys {
  const { input, onEnd } = dependencies;
  const stream = new Readable({ read() {} });
  const hearing: Hearing = { dependencies, stream, pasted: undefined, tail: '', heardAt: 0 };
  const onKey = (text: string | undefined, key: Key): void => hear(text, key, hearing);
  return {
    stream,

    open(): void {
      // Stays after the stop: a late error must not end the process.
      input.on('error', onEnd);
      input.on('end', onEnd);
      emitKeypressEvents(input);
      input.on('keypress', onKey);
      input.setRawMode?.(true);
      input.resume();
    },

    close(): void {
      input.off('keypress', onKey).off('end', onEnd);
      input.setRawMode?.(false);
      input.pause();
    },

    release: () => void input.setRawMode?.(false),

    regain(): void {
      // The shell may have changed the mode, and only a change reaches the terminal.
      input.setRawMode?.(false);
      input.setRawMode?.(true);
      input.resume();
    },
  };
}

function hear(text: string | undefined, key: Key, hearing: Hearing): void {
  const { stream, pasted } = hearing;
  const { clock, onPaste, onKey } = hearing.dependencies;
  // The sequences of all keys together are the complete input.
  const sequence = key.sequence ?? text ?? '';
  const isLate = clock.now() - hearing.heardAt >= deadPause;
  hearing.heardAt = clock.now();
  hearing.tail = (hearing.tail + sequence).slice(-pasteEnd.length);

  if (hearing.tail === pasteStart && pasted === undefined) {
    hearing.pasted = [];
  } else if (pasted === undefined || (sequence === interrupt && isLate)) {
    hearing.pasted = undefined;
    if (!onKey(text, key)) stream.emit('keypress', text, key);
  } else {
    pasted.push(sequence);
    if (hearing.tail !== pasteEnd) return;
    hearing.pasted = undefined;
    onPaste(pasted.join('').slice(0, -pasteEnd.length));
  }
}
