import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from './schema.ts';

/** The config with its paths absolute: relative ones start at the folder, `~/` at the home folder. */
export function withAbsolutePaths(config: Config, folder: string): Config {
  return {
    ...config,
    data_dir: absolute(config.data_dir, folder),
    workspace: absolute(config.workspace, folder),
  };
}

function absolute(path: string, folder: string): string {
  if (path === '~' || path.startsWith('~/')) return resolve(homedir(), path.slice(2));
  return resolve(folder, path);
}
