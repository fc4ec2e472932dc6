/* What this machine keeps for Keyturn: its files, the room on their disk, and who else can read them. */

import { statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { envFileOf } from '../../config/environment.ts';
import { literalSecrets } from '../../config/last-good.ts';
import { type CheckContext, fault, type Problem, type Seen, said } from './check.ts';
import { doctorWords } from './words.ts';

/** The config, as `config check` reads it. */
export async function checkConfigFile({ loaded, faults }: CheckContext): Promise<Seen> {
  const problems =
    faults === 0 ? [] : [fault(said((language) => doctorWords[language].configUnusable, { count: faults }))];
  return {
    name: 'config',
    state: (language) => {
      if (faults > 0) return doctorWords[language].fault;
      return loaded?.source === 'file'
        ? doctorWords[language].configOk({ path: loaded.path })
        : doctorWords[language].configNone;
    },
    problems,
  };
}

/** Whether others of this machine can read secrets or chats. Not on Windows, which has no such modes. */
export async function checkPermissions(context: CheckContext): Promise<Seen | undefined> {
  if (process.platform === 'win32') return undefined;
  const { place, dataFolder } = context;
  const config = resolve(place.cwd, place.path);
  const secret = [...(mayHoldSecrets(config, context) ? [config] : []), envFileOf(dirname(config))];
  const files = secret.flatMap((path) =>
    problemAt(path, 0o044, (at) => fault(said((language) => doctorWords[language].openFile, at))),
  );
  const folder = problemAt(dataFolder, 0o077, (at) => fault(said((language) => doctorWords[language].openFolder, at)));
  return {
    name: 'permissions',
    state: (language) => doctorWords[language].filesPrivate,
    problems: [...files, ...folder],
  };
}

/** Whether a secret stands in the config itself. Of one that cannot be used, nobody knows. */
function mayHoldSecrets(config: string, { loaded }: CheckContext): boolean {
  return loaded === undefined || loaded.path !== config || literalSecrets(loaded.text).length > 0;
}

function problemAt(
  path: string,
  open: number,
  problem: (at: { readonly path: string; readonly mode: string }) => Problem,
): readonly Problem[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & open) === 0 ? [] : [problem({ path, mode: (mode & 0o777).toString(8) })];
}

/** Less is a problem, in bytes. */
const leastFree = 500 * 2 ** 20;

/** The room for the data: in the nearest folder that there is. */
export async function checkDisk({ dataFolder, freeBytes = freeOn }: CheckContext): Promise<Seen> {
  const free = freeBytes(nearestFolder(dataFolder));
  const at = { folder: dataFolder, free: gigabytes(free) };
  return {
    name: 'disk',
    state: (language) => doctorWords[language].diskFree(at),
    problems: free < leastFree ? [fault(said((language) => doctorWords[language].diskLow, at))] : [],
  };
}

function freeOn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function nearestFolder(folder: string): string {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

function gigabytes(bytes: number): string {
  return bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MB` : `${(bytes / 2 ** 30).toFixed(1)} GB`;
}
