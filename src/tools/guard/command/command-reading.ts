import type { ShellWord } from './shell-words.ts';

/**
 * What a command can do, the most dangerous first. In the config each is written with an @ before it.
 *
 * downloaded_code: runs what the network sent · recursive_deletion: deletes folders with all in them, and asks nobody ·
 * system_change: packages, users, services, disks, kernel, firewall, cron, power, files of the system or of logins ·
 * privilege: asks for the rights of somebody else · upload: sends data out · network_listener: lets others connect ·
 * hidden_code: runs code that is not in the command · deletion: deletes files · permission_change: rights and owners ·
 * process_ending: ends processes · network: talks to the network · writing: makes or changes files ·
 * unknown: cannot be told · reading: only reads, as `@read_only` has it.
 */
export const commandKinds = [
  'downloaded_code',
  'recursive_deletion',
  'system_change',
  'privilege',
  'upload',
  'network_listener',
  'hidden_code',
  'deletion',
  'permission_change',
  'process_ending',
  'network',
  'writing',
  'unknown',
  'reading',
] as const;

export type CommandKind = (typeof commandKinds)[number];

/** One thing that a command does. */
export interface Finding {
  readonly kind: CommandKind;
  /** What it concerns, as it stands in the command: paths, hosts, names of programs. */
  readonly of: readonly string[];
}

export function finding(kind: CommandKind, ...of: readonly string[]): Finding {
  return { kind, of };
}

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
  /** What it runs, or whether an option makes it another matter, only running it would tell. */
  readonly isOpaque: boolean;
  /** The folders that the text has gone to before, as they are written. */
  readonly folders: readonly string[];
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

/** Whether what it prints and saves may come from the network, where strangers write. */
export function reachesNetwork(reading: CommandReading): boolean {
  return (['network', 'upload', 'downloaded_code'] as const).some((kind) => doesKind(reading, kind));
}
