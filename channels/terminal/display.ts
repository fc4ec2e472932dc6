import type { OpenCard } from './open-cards.ts';
import type { Output } from './output.ts';

/** Where the dialogue is shown. */
export interface Display {
  /** Whether a reply can be shown while it is written. */
  readonly isLive: boolean;
  /** Shows whole lines. Resolves when they were taken; throws `ChannelError`. */
  print(lines: string): Promise<void>;
  /** Shows whole lines that may be lost. */
  printSoon(lines: string): void;
  /** Adds to a line that is still being written. */
  append(text: string): void;
  /** Ends that line. */
  endRow(): Promise<void>;
  /** The card to ask for at the prompt, or none. */
  ask(card: OpenCard | undefined): void;
}

/** A pipe: lines, and nothing else. */
export function pipeDisplay(output: Output): Display {
  return {
    isLive: false,
    print: (lines) => output.write(`${lines}\n`),
    printSoon: (lines) => output.writeSoon(`${lines}\n`),
    append() {},
    async endRow() {},
    ask() {},
  };
}
