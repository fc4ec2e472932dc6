import type { Options } from './options.ts';
import type { ShellWord } from './shell-word.ts';

/** A command as those see it who say what it does in one respect. */
export interface Assessed {
  readonly program: string;
  readonly words: readonly ShellWord[];
  readonly options: Options;
  /** What it is told to do first, as `push` of git: the first operand. */
  readonly verb: string;
  /** Its input is not the terminal. */
  readonly hasInput: boolean;
}
