import type { ShellWord } from './shell-words.ts';

/**
 * What a command can do, the most dangerous first. In the config each begins with an @.
 *
 * downloaded_code: runs what the network sent · recursive_deletion: deletes folders with their content, without asking
 * · system_change: packages, users, services, disks, kernel, firewall, cron, power, system and login files · privilege:
 * asks for another user's rights · upload: sends data out · network_listener: lets others connect · hidden_code: runs
 * code that is not in the command · deletion: deletes files · permission_change: permissions and owners ·
 * process_ending: ends processes · network: uses the network · writing: creates or changes files · unknown: cannot be
 * told · reading: only reads, as with `@read_only`.
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
  /** What it concerns, as written in the command: paths, hosts, program names. */
  readonly of: readonly string[];
}

export function finding(kind: CommandKind, ...of: readonly string[]): Finding {
  return { kind, of };
}

/** A variable that a command sets. The value of an array is left out. */
export interface ReadAssignment {
  readonly name: string;
  readonly value?: ShellWord;
}

/** A redirection from or to a file, a descriptor, or the text of a here-document. */
export interface ReadRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

/** One simple command that would run, anywhere in the text. */
export interface ReadCommand {
  /** Its name without folders; empty if it only sets variables or redirects. */
  readonly program: string;
  /** As written; undefined if known only at run time. */
  readonly programPath: string | undefined;
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ReadAssignment[];
  readonly redirects: readonly ReadRedirect[];
  /** The programs that run it: sudo, env, xargs, bash. Not those that merely surround it in the text. */
  readonly via: readonly string[];
  /** The commands whose output it may read. */
  readonly upstream: readonly ReadCommand[];
  /** It runs other commands, which are listed separately. */
  readonly isWrapper: boolean;
  /** What it runs, or whether an option changes what it does, is known only at run time. */
  readonly isOpaque: boolean;
  /** The folders that the script has changed to before, as written. */
  readonly folders: readonly string[];
  readonly findings: readonly Finding[];
}

/** What a shell script would run. */
export interface CommandReading {
  readonly text: string;
  readonly commands: readonly ReadCommand[];
  /** Scripts that its commands give to a shell. Their commands are among `commands`. */
  readonly innerTexts: readonly string[];
  /** It leaves something running in the background. */
  readonly isLeftRunning: boolean;
  /** All of it was read: it was neither too long nor too deep. */
  readonly isWhole: boolean;
  /** Findings and doubts about the text as a whole. */
  readonly findings: readonly Finding[];
}

/** All findings: of the text and of each command. */
export function allFindings(reading: CommandReading): readonly Finding[] {
  return [...reading.findings, ...reading.commands.flatMap(({ findings }) => findings)];
}

export function doesKind(reading: CommandReading, ...kinds: readonly CommandKind[]): boolean {
  return allFindings(reading).some(({ kind }) => kinds.includes(kind));
}

/**
 * Whether its output and its files may come from the network, where strangers write. `isOpen`: it can reach the
 * network, so unread code counts too.
 */
export function reachesNetwork(reading: CommandReading, isOpen = false): boolean {
  if (doesKind(reading, 'network', 'upload', 'downloaded_code')) return true;
  return isOpen && (!reading.isWhole || doesKind(reading, 'hidden_code', 'unknown'));
}
