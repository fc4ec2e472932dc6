import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import type { Language } from '../lib/words.ts';
import { makeFolder } from '../tools/guard/workspace/workspace.ts';
import { cliWords } from './words.ts';

export interface Installation {
  /** The folder of Keyturn's package.json. */
  readonly packageFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly home?: string;
}

/**
 * The default folder of the config, the data and the workspace: `KEYTURN_HOME`, else the folder for user data if
 * Keyturn is installed globally, else the current folder.
 */
export function homeFolder({ packageFolder, env, cwd, platform, home = homedir() }: Installation): string {
  const chosen = env.KEYTURN_HOME;
  if (chosen !== undefined && chosen !== '') return resolve(cwd, chosen);
  return isGlobal(packageFolder) ? userFolder(platform, env, home) : cwd;
}

/** Makes the folder if it is missing. Throws `ConfigError` if that fails. */
export function makeHome(folder: string, language: Language = 'en'): void {
  try {
    makeFolder(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = cliWords[language].unusableHome({ folder, reason });
    throw new ConfigError([{ key: '', text }], { cause: error });
  }
}

/** A global install is in a `node_modules` without a project; npx and projects have a package.json beside it. */
function isGlobal(packageFolder: string): boolean {
  // pnpm has more folders of this name within the project's own.
  const above = packageFolder.split(sep).indexOf('node_modules');
  const outermost = packageFolder.split(sep).slice(0, above).join(sep);
  return above !== -1 && !existsSync(join(outermost, 'package.json'));
}

function userFolder(platform: string, env: Installation['env'], home: string): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'keyturn');
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'keyturn');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'keyturn');
}
