import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownVersion } from '../../../lib/own-version.ts';
import {
  type Found,
  faultOf,
  type Installation,
  mayWrite,
  type Newer,
  type ProgramRun,
  runProgram,
  type Version,
} from './installation.ts';
import { updateWords } from './words.ts';

/** A global install by npm. */
export function globalPackage(folder: string, environment: Readonly<Record<string, string | undefined>>): Installation {
  const above = dirname(folder);
  const npm: Npm = (...args) => runProgram('npm', args, { cwd: above, environment });
  return {
    folder,
    note: join(above, '.keyturn-update.json'),
    look: () => look(above, npm),
    keep: (newer) => pack(newer, { folder, above, npm }),
    take: ({ to }) => install(`keyturn@${to.version}`, npm),
    // It brings its bundle.
    pack: () => undefined,
    obstacle: () => undefined,
    goBack: (former) => install(packedFile(former, above), npm),
    tidy: (former) => rmSync(packedFile(former, above), { force: true }),
  };
}

type Npm = (...args: readonly string[]) => ProgramRun;

function look(above: string, npm: Npm): Found {
  const current = ownVersion();
  const from = { version: current, id: current };
  const asked = npm('view', 'keyturn', 'dist-tags.latest');
  if (/\bE404\b/.test(asked.stderr))
    return { type: 'refused', words: (language) => updateWords[language].notPublished };
  const fault = faultOf(asked, 'npm view');
  if (fault !== undefined)
    return { type: 'refused', words: (language) => updateWords[language].notInRegistry({ fault }) };
  const latest = asked.stdout.trim();
  if (!isNewer(latest, current)) return { type: 'newest', from };
  if (!mayWrite(above))
    return { type: 'refused', words: (language) => updateWords[language].notWritable({ folder: above, latest }) };
  return { type: 'newer', from, to: { version: latest, id: latest }, changes: undefined, schemas: undefined };
}

/** By its numbers; a version that has a word behind them comes before the one without. */
export function isNewer(one: string, than: string): boolean {
  const [a, b] = [one, than].map((version) => version.split(/[.-]/));
  for (const index of [0, 1, 2]) {
    const difference = Number(a?.[index] ?? 0) - Number(b?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return !one.includes('-') && than.includes('-');
}

interface Place {
  readonly folder: string;
  readonly above: string;
  readonly npm: Npm;
}

/** What is there is packed before it is replaced: the registry may not have it. */
function pack({ from }: Newer, { folder, above, npm }: Place): string | undefined {
  const packed = npm('pack', '--silent', '--ignore-scripts', '--pack-destination', above, folder);
  const file = packedFile(from, above);
  const name = `npm pack ${from.version}`;
  return faultOf(packed, name) ?? (existsSync(file) ? undefined : `${name}: ${file} is missing`);
}

function install(source: string, npm: Npm): string | undefined {
  return faultOf(npm('install', '--global', '--no-audit', '--no-fund', source), 'npm install');
}

function packedFile({ version }: Version, above: string): string {
  return join(above, `keyturn-${version}.tgz`);
}
