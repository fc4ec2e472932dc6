import { join } from 'node:path';
import type { BareCommand } from '../../guard/process/bounds.ts';
import type { ChildEnvironmentRequest } from '../../guard/process/child-environment.ts';
import { type FoundPlugin, isScript } from './found-plugin.ts';

type ProgramRequest = Pick<BareCommand, 'command' | 'args' | 'directory' | 'shown'> &
  Pick<ChildEnvironmentRequest, 'variables'>;

/** How the program of a plugin is started: in the workspace, and seeing its own folder, which it cannot change. */
export function programRequest(plugin: FoundPlugin, workspace: string, nodePath: string): ProgramRequest {
  const path = join(plugin.folder, plugin.manifest.binary?.path ?? '');
  const args = isScript(path) ? [nodePath, path] : [path];
  return {
    command: 'exec "$@"',
    args,
    directory: workspace,
    shown: [plugin.folder, nodePath],
    variables: pluginVariables(plugin),
  };
}

/** What every process of a plugin finds in its environment. */
export function pluginVariables({ folder }: FoundPlugin): Readonly<Record<string, string>> {
  // Python would else write beside what it runs, and so make another plugin of it.
  return { KEYTURN_PLUGIN_DIR: folder, PYTHONDONTWRITEBYTECODE: '1' };
}
