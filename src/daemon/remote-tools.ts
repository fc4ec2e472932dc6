import type { Config } from '../config/schema.ts';
import { deviceChannel } from '../conversation/devices/device-accounts.ts';
import { largestDeviceFile } from '../gateway/device-channel.ts';
import type { Store } from '../store/index.ts';
import builtins from '../tools/builtin/definitions.json' with { type: 'json' };
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import { schemaFault } from '../tools/json-validator.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { RemoteSettings } from '../tools/sources/remote/remote-settings.ts';
import { RemoteTools } from '../tools/sources/remote/remote-tools.ts';
import type { DaemonOptions } from './parts.ts';
import { ownPathsOf } from './tools.ts';

/** What is made after them, and asked when devices offer something. */
export interface BesideRemoteTools {
  readonly accountsOf: (principal: string) => readonly string[];
  readonly registry: () => ToolRegistry;
}

/** The tools that devices offer. The registry has to be told of them when there is one: see `ToolRegistry.include`. */
export function makeRemoteTools(
  options: DaemonOptions,
  { files }: Pick<Store, 'files'>,
  { accountsOf, registry }: BesideRemoteTools,
): RemoteTools {
  const { config, clock, adapters } = options;
  return new RemoteTools({
    settings: remoteSettingsOf(config),
    accountsOf,
    // A builtin tool that is switched off leaves its name to nobody.
    isTaken: (name) => registry().has(name) || Object.hasOwn(builtins, name),
    schemaFault,
    folder: '.keyturn/devices',
    workspaceAt: workspaces({ privatePaths: ownPathsOf(options) }),
    files,
    fileLimitOf: (channel) =>
      channel === deviceChannel ? largestDeviceFile : (adapters.get(channel)?.capabilities.maxFileBytes ?? 0),
    clock,
  });
}

function remoteSettingsOf({ remote_tools: tools }: Config): RemoteSettings {
  const { enabled, allowed, categories, idempotent } = tools;
  const timeouts = Object.entries(tools.timeouts).map(([pattern, seconds]) => [pattern, seconds * 1000] as const);
  return {
    ...{ enabled, allowed, categories, idempotent },
    timeout: tools.timeout_secs * 1000,
    timeouts: Object.fromEntries(timeouts),
    maxResultBytes: tools.max_result_bytes,
  };
}
