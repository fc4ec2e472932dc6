import type { CommandKind, Finding } from './command-kind.ts';
import type { ShellWord } from './shell-word.ts';

/** A variable that a command sets. */
export interface ReadAssignment {
  readonly name: string;
  /** Left out where it is a list. */
  readonly value?: ShellWord;
}

/** Where a command reads from or writes to instead of the terminal. */
export interface ReadRedirect {
  readonly operator: string;
  /** The file or descriptor. Of a here-document, its text. */
  readonly target: ShellWord;
}

/** One simple command that would run, wherever in the text it stands. */
export interface ReadCommand {
  /** Its name without folders; empty where it only sets variables or redirects. */
  readonly program: string;
  /** As it is written; undefined where only running it would tell. */
  readonly programPath: string | undefined;
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ReadAssignment[];
  readonly redirects: readonly ReadRedirect[];
  /** The programs that run it for somebody: sudo, env, xargs, bash. Not those that merely surround it in the text. */
  readonly via: readonly string[];
  /** It runs other commands, which are read beside it. */
  readonly isWrapper: boolean;
  readonly findings: readonly Finding[];
}

/** What a text for the shell would run. */
export interface CommandReading {
  readonly text: string;
  readonly commands: readonly ReadCommand[];
  /** The texts in it that its commands give to a shell. Their commands are among the commands. */
  readonly innerTexts: readonly string[];
  /** It does not wait for all that it starts. */
  readonly isLeftRunning: boolean;
  /** Nothing of it was too long, too much or too deep to be read. */
  readonly isWhole: boolean;
  /** What is known, or in doubt, of the text as a whole. */
  readonly findings: readonly Finding[];
}

/** All that it does: of the text and of each of its commands. */
export function allFindings(reading: CommandReading): readonly Finding[] {
  return [...reading.findings, ...reading.commands.flatMap(({ findings }) => findings)];
}

/** Whether a command of it, or the text as a whole, does this. */
export function doesKind(reading: CommandReading, kind: CommandKind): boolean {
  return allFindings(reading).some((found) => found.kind === kind);
}
