import { dirname } from 'node:path';
import type { Config } from '../config/schema.ts';
import { broughtBy, type SettingsPart } from '../config/settings-part.ts';
import { programsInWorkspace } from '../config/workspace.ts';
import type { ProcessBoundsOptions } from '../tools/guard/process/sandbox.ts';

/** Where Keyturn's own files are. */
interface OwnPaths {
  readonly config: Config;
  readonly privatePaths: readonly string[];
  readonly parts: readonly SettingsPart[];
}

/** Hidden from tools, even in a workspace. Give it no view of the config: what is read of a config is kept for it. */
export function ownPathsOf({ config, privatePaths, parts }: OwnPaths): readonly string[] {
  const { programs } = broughtBy(parts, config);
  return [...privatePaths, config.data_dir, ...programsInWorkspace(config, programs).map(({ path }) => path)];
}

/** The limits of commands, hidden paths and reachable hosts. */
export function boundsSettingsOf(own: OwnPaths): Omit<ProcessBoundsOptions, 'sandbox' | 'shell' | 'network'> {
  const { tools, workspace } = own.config;
  const { sandbox, allowed_domains, max_processes, max_memory_bytes, max_file_bytes, min_free_bytes } = tools.shell;
  const brace = workspace.indexOf('{');
  // If each conversation has its own folder, the others are hidden: everything in this root.
  const root = brace === -1 ? undefined : dirname(`${workspace.slice(0, brace)}x`);
  return {
    isRequired: sandbox === 'required',
    allowedDomains: allowed_domains,
    limits: {
      processes: max_processes,
      memory: max_memory_bytes,
      fileSize: max_file_bytes,
      minFree: min_free_bytes,
    },
    protectedNames: tools.shell.protected,
    hidden: { privatePaths: ownPathsOf(own), workspaceRoot: root },
  };
}
