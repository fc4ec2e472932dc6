/** What a command can do, the most dangerous first. In the config each is written with an @ before it. */
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

/**
 * downloaded_code: runs what the network sent · recursive_deletion: deletes folders with all in them, and asks nobody ·
 * system_change: packages, users, services, disks, kernel, firewall, cron, power, files of the system or of logins ·
 * privilege: asks for the rights of somebody else · upload: sends data out · network_listener: lets others connect ·
 * hidden_code: runs code that is not in the command · deletion: deletes files · permission_change: rights and owners ·
 * process_ending: ends processes · network: talks to the network · writing: makes or changes files ·
 * unknown: cannot be told · reading: only looks.
 */
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
