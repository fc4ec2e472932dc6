import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';

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
