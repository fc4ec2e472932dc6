/*
 * What a command of the program is. The list of them (`index.ts`) is read at each start, so a definition loads nothing
 * heavy: what a command does stands in a file of its own, which is loaded when the command is given.
 */

import type { Language } from '../../lib/words.ts';
import type { Place } from '../place.ts';
import type { Program } from '../program.ts';

/** How a command ended. Each is documented in `docs/cli.md`. */
export const exitCodes = {
  done: 0,
  /** It could not be done, or something is wrong with what was looked at. */
  failed: 1,
  /** The words of the command line are wrong. */
  misused: 2,
  /** Keyturn does not run, and the command needs it to. */
  notRunning: 3,
  /** EX_CONFIG: tells supervisors that a restart helps only after the operator has changed something. */
  wrongConfig: 78,
} as const;

/** What a command was given, and what it may use. */
export interface CommandContext {
  readonly program: Program;
  /** Of the environment: what is read may say another one. */
  readonly language: Language;
  readonly place: Place;
  /** All commands of the program. */
  readonly commands: readonly CliCommand[];
  /** The words behind the command's name. */
  readonly operands: readonly string[];
  /** Whether a program reads what is printed. */
  readonly asJson: boolean;
  /** The value of an option that takes one. Throws if the command has no such option. */
  readonly option: (name: string) => string | undefined;
  /** Whether an option that takes no value was given. Throws if the command has no such option. */
  readonly isOn: (name: string) => boolean;
  /** Writes to the standard output, a line end behind it. */
  readonly print: (text: string) => void;
  /** Writes to the standard error: what is no result. */
  readonly complain: (text: string) => void;
}

/** Returns the exit code. Throws what `explainFault` explains. */
export type RunCommand = (context: CommandContext) => Promise<number>;

/** The sections of the program's help, in their order. */
export const sections = ['see', 'decide', 'mend', 'keep'] as const;

export interface CliCommand {
  /** One word or more: `config check`. Empty: the start. */
  readonly name: string;
  readonly section: (typeof sections)[number];
  readonly words: (language: Language) => CommandWords;
  /** Besides `--config`, `--help` and, if it `prints`, `--json`. An option that several commands have is alike in all. */
  readonly options?: readonly CliOption[];
  /** How many words may follow the name. Default: none. */
  readonly operands?: { readonly least: number; readonly most: number };
  /** Whether it has `--json`. */
  readonly hasJson?: boolean;
  /** Whether it loads no config, and so begins at once. */
  readonly isLight?: boolean;
  readonly load: () => Promise<RunCommand>;
}

export interface CommandWords {
  /** A few words, for the list of commands. */
  readonly summary: string;
  /** The operands as usage lines spell them: `ID [REASON]`. */
  readonly operands?: string;
  /** What else should be known: lines of plain text, each at most 100 columns. */
  readonly more?: string;
}

export interface CliOption {
  /** Without the dashes. */
  readonly name: string;
  /** One letter that stands for it behind one dash: `f`. */
  readonly short?: string;
  /** The word that stands for its value in usage lines. Undefined: it takes none. */
  readonly takes?: string;
  readonly words: (language: Language) => string;
}

/** The names of all options of a command, without the dashes. */
export function optionNames({ options = [], hasJson = false }: CliCommand): readonly string[] {
  return [...options.map(({ name }) => name), ...(hasJson ? ['json'] : []), 'config', 'help'];
}
