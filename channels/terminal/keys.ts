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
export class Keys {
  readonly #dependencies: KeysDependencies;
  /** For readline: it hears the keys here, and reads nothing. */
  readonly stream = new Readable({ read() {} });
  /** What has been pasted so far, during a paste. */
  #pasted: string[] | undefined;
  /** The last characters, to find a mark in them however it was cut. */
  #tail = '';
  #heardAt = 0;

  constructor(dependencies: KeysDependencies) {
    this.#dependencies = dependencies;
  }

  /** Begins to listen, key by key. */
  open(): void {
    const { input, onEnd } = this.#dependencies;
    // It stays when the channel stops: an error that is told later must not end the process.
    input.on('error', onEnd);
    input.on('end', onEnd);
    emitKeypressEvents(input);
    input.on('keypress', this.#hear);
    input.setRawMode?.(true);
    input.resume();
  }

  close(): void {
    const { input, onEnd } = this.#dependencies;
    input.off('keypress', this.#hear).off('end', onEnd);
    input.setRawMode?.(false);
    input.pause();
  }

  /** Leaves the keys to the shell. */
  release(): void {
    this.#dependencies.input.setRawMode?.(false);
  }

  /** Takes the keys again. */
  regain(): void {
    const { input } = this.#dependencies;
    // Only a change reaches the terminal, which the shell may have changed in the meantime.
    input.setRawMode?.(false);
    input.setRawMode?.(true);
    input.resume();
  }

  readonly #hear = (text: string | undefined, key: Key): void => {
    const { clock, onPaste } = this.#dependencies;
    // The sequences of all keys together are the whole input, whatever was made of it.
    const sequence = key.sequence ?? text ?? '';
    const isLate = clock.now() - this.#heardAt >= deadPause;
    this.#heardAt = clock.now();
    this.#tail = (this.#tail + sequence).slice(-pasteEnd.length);

    if (this.#tail === pasteStart && this.#pasted === undefined) {
      this.#pasted = [];
    } else if (this.#pasted === undefined || (sequence === interrupt && isLate)) {
      this.#pasted = undefined;
      this.stream.emit('keypress', text, key);
    } else {
      this.#pasted.push(sequence);
      if (this.#tail !== pasteEnd) return;
      const whole = this.#pasted.join('').slice(0, -pasteEnd.length);
      this.#pasted = undefined;
      onPaste(whole);
    }
  };
}
