import { reservedNames } from '../../config/tool-rules.ts';
import type { ChannelPort, FeatureCore } from '../../feature-points.ts';
import { isJsonObject } from '../../lib/json.ts';
import { liesInWorkspace } from '../../tools/guard/workspace/workspace.ts';
import type { AskPlugin } from './hooks.ts';
import type { IsForbidden } from './pinned-modules.ts';
import type { Trust } from './trust.ts';

export interface Provider {
  /** Does not wait for slow work. Never rejects: the operator is told of errors. Called again if `follows` changes. */
  start(): Promise<void>;
  /** Removes what it brought and leaves nothing running. At shutdown, within 2 s. */
  stop(): Promise<void>;
  /** Lines of plain text for owners. */
  troubles?(): readonly string[];
  readonly ask?: AskPlugin;
}

export interface ConfiguredProvider {
  readonly name: string;
  /** A change of this config makes a new one. */
  readonly madeOf: unknown;
  /** A change of this config calls `start` again, which leaves the unchanged parts alone. */
  readonly follows?: unknown;
  make(): Promise<Provider>;
}

/** The current providers of external tools and channels. Code for what is not configured is not loaded. */
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
    async make() {
      const [{ createPlugins }, { pluginMeans }] = await Promise.all([
        import('./plugin/plugins.ts'),
        import('./plugin/plugin-means.ts'),
      ]);
      return createPlugins(pluginMeans(core), trust, isForbidden);
    },
  };
  const plugged = channels.plugged().map((name): ConfiguredProvider => {
    const [place = { from: '' }, settings] = [channel_plugins[name], ownSettings(config.channels[name])];
    return {
      name: `channel_plugins.${name}`,
      madeOf: { place, settings, forbidden },
      // Made (and read) at once, so that owners get one message about all new ones.
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

/** The settings in `channels.<name>` without the ones that Keyturn reads itself. */
function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
}
