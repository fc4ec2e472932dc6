import { spawnSync } from 'node:child_process';
import { findBundle, type Packed } from '../bundle.js';
import { ConfigError } from '../config/config-error.ts';
import { type LoadOptions, loadConfig } from '../config/load.ts';
import { missingFixes, patchedOn } from '../find-node.js';
import { proxySettings, proxyWords } from '../lib/network/proxy-settings.ts';
import { ownVersion } from '../lib/own-version.ts';
import { textWidth } from '../lib/text-width.ts';
import { dayWords } from '../lib/time-words.ts';
import type { Language } from '../lib/words.ts';
import { sqliteVersion } from '../store/examine.ts';
import type { CommandShell } from '../tools/guard/process/command-shell.ts';
import type { CheckReport } from './doctor/check.ts';
import { doctorWords } from './doctor/words.ts';
import { cliWords } from './words.ts';

/** The result of `keyturn doctor`. Contains no secret, and of the config only how the network is reached. */
export interface DoctorReport {
  readonly parts: readonly Part[];
  /** What is wrong and what to do, a sentence each. */
  readonly faults: readonly string[];
  /** What was looked at besides. */
  readonly checks?: readonly CheckReport[];
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
  language = 'en',
  packed = ownBundle(),
}: {
  readonly now: number;
  readonly versions: NodeJS.ProcessVersions;
  readonly shell: CommandShell;
  /** Where the config is, if there is one. */
  readonly place: LoadOptions;
  readonly language?: Language;
  /** What the next start runs. Default: what this code finds. */
  readonly packed?: Packed;
}): Promise<DoctorReport> {
  const say = cliWords[language];
  const network = await networkParts(place, language);
  const fault = missingFixes(versions.node);
  const sqlite = sqliteVersion();
  return {
    parts: [
      { name: 'Keyturn', version: ownVersion(), age: '' },
      programPart(packed, say),
      {
        name: 'Node',
        version: versions.node,
        age:
          fault === undefined ? say.hasFixes({ day: fixesDay(language) }) : say.lacksFixes({ day: fixesDay(language) }),
      },
      { name: 'OpenSSL', version: versions.openssl, age: say.withNode },
      { name: 'SQLite', version: sqlite.version, age: ageOf(sqlite.madeOn, now, say) },
      {
        name: 'Shell',
        version: shell.name,
        age: shell.isBash ? say.readsCommands : say.noBash,
      },
      { name: 'bubblewrap', version: versionOf('bwrap', ['--version']), age: '' },
      { name: 'socat', version: versionOf('socat', ['-V']), age: '' },
      ...network.parts,
    ],
    faults: [...(fault === undefined ? [] : [`${fault}.`]), ...network.faults],
  };
}

/** A package that has no bundle was built where it is installed. */
function ownBundle(): Packed {
  return findBundle({ isBuilt: !import.meta.url.endsWith('.ts') });
}

function programPart(packed: Packed, say: CliWords): Part {
  if (packed.folder !== undefined) return { name: 'Program', version: say.packed, age: '' };
  const { differs } = packed;
  const canPack = import.meta.url.endsWith('.ts');
  const why = differs === undefined ? say.wouldStartFaster : say.outdated({ file: differs });
  return { name: 'Program', version: say.notPacked, age: canPack ? why : '' };
}

/** By the config; by the environment alone if that cannot be used, which `config check` explains. */
async function networkParts(place: LoadOptions, language: Language): Promise<Pick<DoctorReport, 'parts' | 'faults'>> {
  const say = cliWords[language];
  const loaded = await loadConfig(place).catch((error: unknown) => {
    if (error instanceof ConfigError) return undefined;
    throw error;
  });
  const { settings, faults } =
    loaded === undefined ? proxySettings(undefined, place.env) : { settings: loaded.network.proxies, faults: [] };
  const count = loaded?.network.certificates.length ?? 0;
  return {
    parts: [
      { name: 'Proxy', version: proxyWords(settings, language) ?? say.noProxy, age: '' },
      ...(count === 0 ? [] : [{ name: 'Certificates', version: say.more({ count }), age: say.thanNode }]),
    ],
    faults: faults.map(({ source, text }) => `${source}: ${text(language)}`),
  };
}

/** A table for people; as JSON, one object for programs. */
export function doctorText(report: DoctorReport, asJson: boolean, language: Language = 'en'): string {
  const say = cliWords[language];
  if (asJson) return `${JSON.stringify(report, undefined, 2)}\n`;
  const names: Readonly<Record<string, string>> = say.partNames;
  const lines = report.parts.map(({ name, version = say.notInstalled, age }) =>
    `${padded(`${names[name] ?? name} `, 12)}${padded(`${version} `, 16)}${age}`.trimEnd(),
  );
  const { faults, checks = [] } = report;
  const looked = checks.length === 0 ? [] : ['', ...checks.flatMap((check) => checkLines(check, language))];
  const end = faults.length === 0 ? [] : ['', ...faults];
  return `${[...lines, ...looked, ...end, '', summary(report, language)].join('\n')}\n`;
}

/** A line if all is well; else each problem with why it matters and what mends it. */
function checkLines({ name, ok, state, problems }: CheckReport, language: Language): readonly string[] {
  const say = doctorWords[language];
  if (ok) return [`${padded(name, 14)}${padded(say.ok, 8)}${state}`];
  return problems.flatMap(({ fault, what, why, mend }) => [
    `${padded(name, 14)}${padded(fault ? say.fault : say.doubt, 8)}${what}`,
    `${' '.repeat(22)}${say.labels.why}  ${why}`,
    `${' '.repeat(22)}${say.labels.mend}  ${mend}`,
  ]);
}

function summary({ faults, checks = [] }: DoctorReport, language: Language): string {
  const problems = checks.flatMap((check) => check.problems);
  const count = faults.length + problems.filter(({ fault }) => fault).length;
  const doubts = problems.filter(({ fault }) => !fault).length;
  const say = doctorWords[language];
  return count + doubts === 0 ? say.allWell : say.found({ faults: count, doubts });
}

/** The day of the newest fixes, which the script that finds Node has in English. */
function fixesDay(language: Language): string {
  if (language === 'en') return patchedOn;
  return dayWords(Date.parse(`${patchedOn} UTC`), { timeZone: 'UTC', isNamed: true, language });
}

/** `day` is an ISO date. */
function ageOf(day: string, now: number, say: CliWords): string {
  const days = Math.max(0, Math.floor((now - Date.parse(day)) / 86_400_000));
  return say.daysOld({ days, day });
}

function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

type CliWords = (typeof cliWords)['en'];

/** The first number with points in what the program prints of itself. Undefined if it does not run. */
function versionOf(program: string, args: readonly string[]): string | undefined {
  const { stdout } = spawnSync(program, [...args], { encoding: 'utf8', timeout: 5_000 });
  return /\d+(?:\.\d+)+/.exec(stdout ?? '')?.[0];
}
