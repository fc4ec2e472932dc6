import { reservedNames } from '../../config/tool-rules.ts';
import type { ChannelPort, FeatureCore } from '../../feature-points.ts';
import { isJsonObject } from '../../lib/json.ts';
import { liesInWorkspace } from '../../tools/guard/workspace/private-places.ts';
import type { AskPlugin } from './hooks.ts';
import type { IsForbidden } from './pinned-modules.ts';
import type { Trust } from './trust.ts';

export interface Provider {
  /**
   * Begins; resolves without waiting for what may take long. Never rejects: what goes wrong is told to the operator. Called
   * again when what it follows in the config has changed.
   */
  start(): Promise<void>;
  /** Takes away what it has brought, and leaves nothing running. Ends within 2 s. */
  stop(): Promise<void>;
  /** What an owner should know of it now, a line of plain text each. */
  troubles?(): readonly string[];
  readonly ask?: AskPlugin;
}

/** One of what is in the config. It is made again when what it is made of is another. */
export interface ConfiguredProvider {
  readonly name: string;
  /** What it is made of in the config: made again when that changes. */
  readonly madeOf: unknown;
  /** What else it depends on there: begun again when that changes, which leaves alone what is as it was. */
  readonly follows?: unknown;
  make(): Promise<Provider>;
}

/** All that brings tools or channels from elsewhere, as the config wants it now. What is not configured is not loaded. */
export function configuredProviders(
  core: FeatureCore,
  trust: Trust,
  channels: ChannelPort,
): readonly ConfiguredProvider[] {
  const { config } = core;
  const { tool_modules, channel_plugins, plugins, mcp_servers, tools, agents, workspace, data_dir } = config;
  // Where tools write.
  const forbidden = [workspace, ...Object.values(agents).flatMap((agent) => agent.workspace ?? []), data_dir];
  const isForbidden: IsForbidden = async (path) =>
    (await Promise.all(forbidden.map((template) => liesInWorkspace(path, template)))).includes(true);
  const reserved = reservedNames(config);
  const modules: ConfiguredProvider = {
    name: 'tool_modules',
    madeOf: { reserved, forbidden },
    follows: tool_modules,
    make: async () => (await import('./module/tool-modules.ts')).toolModules(core, trust, isForbidden),
  };
  const pluginFolders: ConfiguredProvider = {
    name: 'plugins',
    madeOf: { reserved, forbidden, deny: tools.shell.deny, most: tools.shell.max_output_bytes },
    follows: plugins,
    make: async () => (await import('./plugin/plugins.ts')).configuredPlugins(core, trust, isForbidden),
  };
  const plugged = channels.plugged().map((name): ConfiguredProvider => {
    const [place = { from: '' }, settings] = [channel_plugins[name], ownSettings(config.channels[name])];
    return {
      name: `channel_plugins.${name}`,
      madeOf: { place, settings, forbidden },
      // Read at once, so that owners are told of all that are new together.
      async make() {
        const { channelPlugin } = await import('./channel-plugins/channel-plugin.ts');
        return channelPlugin({ name, place, settings, isForbidden, trust, channels, core });
      },
    };
  });
  const servers = Object.entries(mcp_servers)
    .filter(([, { enabled }]) => enabled)
    .map(
      ([name, server]): ConfiguredProvider => ({
        name: `mcp_servers.${name}`,
        madeOf: { server, reserved, allowed: tools.network.allow_private, ask: tools.ask.timeout_secs },
        make: async () => (await import('./mcp/server.ts')).configuredServer(name, core, trust),
      }),
    );
  return [
    ...(tool_modules.length > 0 ? [modules] : []),
    ...(plugins.enabled ? [pluginFolders] : []),
    ...plugged,
    ...servers,
  ];
}

/** What stands under `channels.<name>` without what Keyturn itself reads of it. */
function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
}
