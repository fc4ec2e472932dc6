import type { Output } from './output.ts';
import type { Question } from './question.ts';

/** Where the dialogue is shown. */
export interface Display {
  /** Whether a reply can be shown while it is written. */
  readonly isLive: boolean;
  /** How wide a row is now. */
  readonly columns: number;
  /** Shows whole lines. Resolves when they were taken; throws `ChannelError`. */
  print(lines: string): Promise<void>;
  /** Shows whole lines that may be lost. */
  printSoon(lines: string): void;
  /** Adds to a line that is still being written. */
  append(text: string): void;
  /** Ends that line. Resolves when all of it was taken; throws `ChannelError`. */
  endRow(): Promise<void>;
  /** What to ask at the prompt, if anything. */
  ask(question: Question | undefined): void;
}

/** A pipe: lines, and nothing else. */
export function pipeDisplay(output: Output): Display {
  return {
    isLive: false,
    columns: Number.POSITIVE_INFINITY,
    print: (lines) => output.write(`${lines}\n`),
    printSoon: (lines) => output.writeSoon(`${lines}\n`),
    append() {},
    async endRow() {},
    ask() {},
  };
}
