import { spawnSync } from 'node:child_process';
import { missingFixes, patchedOn } from '../find-node.js';
import { ownVersion } from '../lib/own-version.ts';
import { sqliteVersion } from '../store/examine.ts';
import type { CommandShell } from '../tools/guard/process/command-shell.ts';

/** The result of `keyturn doctor`. Contains nothing of the config. */
export interface DoctorReport {
  readonly parts: readonly Part[];
  /** What is wrong and what to do, a sentence each. */
  readonly faults: readonly string[];
}

interface Part {
  readonly name: string;
  /** Undefined if it is not there. */
  readonly version: string | undefined;
  /** How old it is, or what its age means. Empty if nothing is known. */
  readonly age: string;
}

/** Looks at what Keyturn runs with: the versions of its parts, how old they are, and whether security fixes are missing. */
export function examineInstallation({
  now,
  versions,
  shell,
}: {
  readonly now: number;
  readonly versions: NodeJS.ProcessVersions;
  readonly shell: CommandShell;
}): DoctorReport {
  const fault = missingFixes(versions.node);
  const sqlite = sqliteVersion();
  return {
    parts: [
      { name: 'Keyturn', version: ownVersion(), age: '' },
      {
        name: 'Node',
        version: versions.node,
        age: `${fault === undefined ? 'has' : 'lacks'} the fixes of ${patchedOn}`,
      },
      { name: 'OpenSSL', version: versions.openssl, age: 'comes with Node' },
      { name: 'SQLite', version: sqlite.version, age: ageOf(sqlite.madeOn, now) },
      {
        name: 'Shell',
        version: shell.name,
        age: shell.isBash ? 'reads commands' : 'reads commands, as there is no bash',
      },
      { name: 'bubblewrap', version: versionOf('bwrap', ['--version']), age: '' },
      { name: 'socat', version: versionOf('socat', ['-V']), age: '' },
    ],
    faults: fault === undefined ? [] : [`${fault}.`],
  };
}

/** A table for people; as JSON, one object for programs. */
export function doctorText(report: DoctorReport, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(report, undefined, 2)}\n`;
  const lines = report.parts.map(({ name, version = 'not installed', age }) =>
    `${name.padEnd(12)}${version.padEnd(16)}${age}`.trimEnd(),
  );
  const end = report.faults.length === 0 ? ['Nothing is wrong.'] : report.faults;
  return `${[...lines, '', ...end].join('\n')}\n`;
}

/** `day` is an ISO date. */
function ageOf(day: string, now: number): string {
  const days = Math.max(0, Math.floor((now - Date.parse(day)) / 86_400_000));
  return `${days} days old (${day})`;
}

/** The first number with points in what the program prints of itself. Undefined if it does not run. */
function versionOf(program: string, args: readonly string[]): string | undefined {
  const { stdout } = spawnSync(program, [...args], { encoding: 'utf8', timeout: 5_000 });
  return /\d+(?:\.\d+)+/.exec(stdout ?? '')?.[0];
}
