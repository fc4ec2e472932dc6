import { dirname } from 'node:path';
import { enabledBlocks } from '../config/extension-settings.ts';
import type { Config } from '../config/schema.ts';
import { programsInWorkspace } from '../config/workspace.ts';
import type { AccessRules, GroupRules } from '../conversation/access/access.ts';
import type { AttachmentSettings } from '../conversation/attachments/attachments.ts';
import type { ProcessBoundsOptions } from '../tools/guard/process/sandbox.ts';

/** The enabled channels, and who may talk there. */
export function enabledChannels({ channels }: Config): ReadonlyMap<string, AccessRules> {
  const rules = enabledBlocks(channels).map(([name, { allow_from: allowFrom, groups }]) => {
    const named = Object.entries(groups).map(([id, group]) => [id, groupRulesOf(group)] as const);
    return [name, { allowFrom, groups: Object.fromEntries(named) }] as const;
  });
  return new Map(rules);
}

function groupRulesOf(group: ReturnType<typeof enabledBlocks>[number][1]['groups'][string]): GroupRules {
  const { require_mention, follow_threads, allow_from, commands_from } = group;
  // Owners may command everywhere: an otherwise empty list means only they may.
  const commandsFrom = commands_from.filter((id) => id !== 'owner');
  return { requireMention: require_mention, followThreads: follow_threads, allowFrom: allow_from, commandsFrom };
}

export function attachmentSettingsOf({ attachments }: Config): AttachmentSettings {
  const { folder, max_bytes, timeout_secs } = attachments;
  return { folder, maxBytes: max_bytes, timeout: timeout_secs * 1000 };
}

/** Hidden from tools, even in a workspace. */
export function ownPathsOf({
  config,
  privatePaths,
}: {
  readonly config: Config;
  readonly privatePaths: readonly string[];
}): readonly string[] {
  return [...privatePaths, config.data_dir, ...programsInWorkspace(config).map(({ path }) => path)];
}

/** The limits of commands, hidden paths and reachable hosts. */
export function boundsSettingsOf(
  config: Config,
  privatePaths: readonly string[],
): Omit<ProcessBoundsOptions, 'sandbox'> {
  const { tools, workspace } = config;
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
    hidden: { privatePaths: ownPathsOf({ config, privatePaths }), workspaceRoot: root },
  };
}
