import { spawnSync } from 'node:child_process';
import { ConfigError } from '../config/config-error.ts';
import { type LoadOptions, loadConfig } from '../config/load.ts';
import { missingFixes, patchedOn } from '../find-node.js';
import { proxySettings, proxyWords } from '../lib/network/proxy-settings.ts';
import { ownVersion } from '../lib/own-version.ts';
import { sqliteVersion } from '../store/examine.ts';
import type { CommandShell } from '../tools/guard/process/command-shell.ts';

/** The result of `keyturn doctor`. Contains no secret, and of the config only how the network is reached. */
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

/**
 * Looks at what Keyturn runs with: the versions of its parts, how old they are, whether security fixes are missing, and
 * through which proxy it would go. Connects to nothing.
 */
export async function examineInstallation({
  now,
  versions,
  shell,
  place,
}: {
  readonly now: number;
  readonly versions: NodeJS.ProcessVersions;
  readonly shell: CommandShell;
  /** Where the config is, if there is one. */
  readonly place: LoadOptions;
}): Promise<DoctorReport> {
  const network = await networkParts(place);
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
      ...network.parts,
    ],
    faults: [...(fault === undefined ? [] : [`${fault}.`]), ...network.faults],
  };
}

/** By the config; by the environment alone if that cannot be used, which `config check` explains. */
async function networkParts(place: LoadOptions): Promise<Pick<DoctorReport, 'parts' | 'faults'>> {
  const loaded = await loadConfig(place).catch((error: unknown) => {
    if (error instanceof ConfigError) return undefined;
    throw error;
  });
  const { settings, faults } =
    loaded === undefined ? proxySettings(undefined, place.env) : { settings: loaded.network.proxies, faults: [] };
  const count = loaded?.network.certificates.length ?? 0;
  return {
    parts: [
      { name: 'Proxy', version: proxyWords(settings) ?? 'none', age: '' },
      ...(count === 0 ? [] : [{ name: 'Certificates', version: `${count} more`, age: 'than Node brings' }]),
    ],
    faults: faults.map(({ source, text }) => `${source}: ${text}`),
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
