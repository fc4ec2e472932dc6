import type { ShellWord } from './shell-words.ts';

/**
 * What a command can do, the most dangerous first. In the config each is written with an @ before it.
 *
 * downloaded_code: runs what the network sent · recursive_deletion: deletes folders with their content, without asking
 * · system_change: packages, users, services, disks, kernel, firewall, cron, power, files of the system or of logins ·
 * privilege: asks for the rights of another user · upload: sends data out · network_listener: lets others connect ·
 * hidden_code: runs code that is not in the command · deletion: deletes files · permission_change: rights and owners ·
 * process_ending: ends processes · network: talks to the network · writing: makes or changes files · unknown: nobody
 * can tell · reading: only reads, as `@read_only` has it.
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

export interface Finding {
  readonly kind: CommandKind;
  /** What it concerns, as written in the command: paths, hosts, names of programs. */
  readonly of: readonly string[];
}

export function finding(kind: CommandKind, ...of: readonly string[]): Finding {
  return { kind, of };
}

/** A variable that a command sets. The value of a list is left out. */
export interface ReadAssignment {
  readonly name: string;
  readonly value?: ShellWord;
}

/**
 * Where a command reads from or writes to instead of the terminal: a file, a descriptor, or the text of a
 * here-document.
 */
export interface ReadRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

/** One simple command that would run, anywhere in the text. */
export interface ReadCommand {
  /** Its name without folders; empty where it only sets variables or redirects. */
  readonly program: string;
  /** As written; undefined if only running it would tell. */
  readonly programPath: string | undefined;
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ReadAssignment[];
  readonly redirects: readonly ReadRedirect[];
  /** The programs that run it: sudo, env, xargs, bash. Not those that merely surround it in the text. */
  readonly via: readonly string[];
  /** The commands whose output it may read. */
  readonly upstream: readonly ReadCommand[];
  /** It runs other commands, which are read beside it. */
  readonly isWrapper: boolean;
  /** Only running it would tell what it runs, or whether an option changes what it does. */
  readonly isOpaque: boolean;
  /** The folders that the text changed to before, as written. */
  readonly folders: readonly string[];
  readonly findings: readonly Finding[];
}

/** What a text for the shell would run. */
export interface CommandReading {
  readonly text: string;
  readonly commands: readonly ReadCommand[];
  /** The texts that its commands give to a shell. Their commands are among `commands`. */
  readonly innerTexts: readonly string[];
  /** It leaves something running in the background. */
  readonly isLeftRunning: boolean;
  /** All of it was read: it was not too long or too deep. */
  readonly isWhole: boolean;
  /** What is known, or in doubt, of the text as a whole. */
  readonly findings: readonly Finding[];
}

/** All that it does: of the text and of each of its commands. */
export function allFindings(reading: CommandReading): readonly Finding[] {
  return [...reading.findings, ...reading.commands.flatMap(({ findings }) => findings)];
}

export function doesKind(reading: CommandReading, ...kinds: readonly CommandKind[]): boolean {
  return allFindings(reading).some(({ kind }) => kinds.includes(kind));
}

/**
 * Whether what it prints and saves may come from the network, where strangers write. `isOpen`: nothing keeps it from there, so
 * that what it runs unread may go there, too.
 */
export function reachesNetwork(reading: CommandReading, isOpen = false): boolean {
  if (doesKind(reading, 'network', 'upload', 'downloaded_code')) return true;
  return isOpen && (!reading.isWhole || doesKind(reading, 'hidden_code', 'unknown'));
}
