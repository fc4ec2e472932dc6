import type { Config } from '../../config/schema.ts';
import { reservedNames } from '../../config/tool-rules.ts';
import type { ChannelPort, FeatureCore } from '../../feature-points.ts';
import { isJsonObject } from '../../lib/json.ts';
import { liesInWorkspace } from '../../tools/guard/workspace/private-places.ts';
import { workspaces } from '../../tools/guard/workspace/workspace.ts';
import type { ChannelPlace } from './channel-plugins/channel-entry.ts';
import type { PluginVoices } from './hooks/hooks.ts';
import type { Trust } from './trust/trusted.ts';

/** Something that brings tools, or channels, while the daemon runs. */
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
}

export interface ProviderParts {
  readonly trust: Trust;
  /** Where channels from elsewhere come in. */
  readonly channels: ChannelPort;
  /** Told where plugins can be asked as hooks. */
  readonly voices: PluginVoices;
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
export function configuredProviders(core: FeatureCore, parts: ProviderParts): readonly ConfiguredProvider[] {
  const { config } = core;
  const { tool_modules, channels, plugins, mcp_servers, agents, workspace } = config;
  const forbidden = { workspace, others: Object.values(agents).map((agent) => agent.workspace) };
  const reserved = [...reservedNames(config)];
  const servers = Object.entries(mcp_servers).filter(([, { enabled }]) => enabled);
  const commands = { deny: config.tools.shell.deny, most: config.tools.shell.max_output_bytes };
  const whole: readonly (ConfiguredProvider & { readonly isThere: boolean })[] = [
    {
      name: 'tool_modules',
      isThere: tool_modules.length > 0,
      madeOf: { reserved, forbidden },
      follows: tool_modules,
      make: () => makeToolModules(core, parts),
    },
    {
      name: 'plugins',
      isThere: plugins.enabled,
      madeOf: { reserved, forbidden, commands },
      follows: plugins,
      make: () => makePlugins(core, parts),
    },
  ];
  return [
    ...whole.filter(({ isThere }) => isThere),
    ...parts.channels.plugged().map((name) => {
      const [place, settings] = [placeOf(config, name), ownSettings(channels[name])];
      return {
        name: `channel_plugins.${name}`,
        madeOf: { place, settings, forbidden },
        make: () => makeChannelPlugin({ name, place, settings }, core, parts),
      };
    }),
    ...servers.map(([name, server]) => ({
      name: `mcp_servers.${name}`,
      madeOf: { server, reserved, allowed: config.tools.network.allow_private, ask: config.tools.ask.timeout_secs },
      make: () => makeServer(name, core, parts),
    })),
  ];
}

async function makeServer(name: string, core: FeatureCore, { trust }: ProviderParts): Promise<Provider> {
  return (await import('./mcp/configured-servers.ts')).configuredServer(name, core, trust);
}

/** A channel that others have written. Read at once, so that owners are told of all that are new together. */
async function makeChannelPlugin(
  channel: { readonly name: string; readonly place: ChannelPlace; readonly settings: object },
  core: FeatureCore,
  { trust, channels }: ProviderParts,
): Promise<Provider> {
  const { ChannelPlugin } = await import('./channel-plugins/channel-plugin.ts');
  const { config, health, ending, clock, log, tellOwners } = core;
  const plugin = new ChannelPlugin({
    ...channel,
    isForbidden: forbiddenPlaces(config),
    attach: (name, adapter) => channels.attach(name, adapter),
    detach: (name) => channels.detach(name),
    ...{ trust, health, ending, clock, log, tellOwners },
  });
  await plugin.read();
  return plugin;
}

/** What stands under `channels.<name>` without what Keyturn itself reads of it. */
function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
}

function placeOf({ channel_plugins }: Config, name: string): ChannelPlace {
  const { path = '', package: packageName, from = '' } = channel_plugins[name] ?? {};
  return packageName === undefined ? { type: 'path', path } : { type: 'package', name: packageName, from };
}

/** The tools of the operator's own files. */
async function makeToolModules(core: FeatureCore, { trust }: ProviderParts): Promise<Provider> {
  const { ToolModules } = await import('./module/tool-modules.ts');
  const { config, registry, log, tellOwners } = core;
  return new ToolModules({
    paths: () => config.tool_modules,
    isForbidden: forbiddenPlaces(config),
    reservedNames: reservedNames(config),
    ...{ registry, trust, log, tellOwners },
  });
}

/** The plugins in the operator's folders. */
async function makePlugins(core: FeatureCore, { trust, voices }: ProviderParts): Promise<Provider> {
  const [{ Plugins }, { longLivedGuard, processGuard }] = await Promise.all([
    import('./plugin/plugins.ts'),
    import('../../tools/guard/process/process.ts'),
  ]);
  const { config, registry, clock, log, environment, bounds, ownPaths: privatePaths, tellOwners } = core;
  const guarded = { clock, environment, bounds: bounds.bounds };
  const plugins = new Plugins({
    settings: () => config.plugins,
    means: {
      runProcess: processGuard(guarded),
      startProcess: longLivedGuard(guarded),
      nodePath: process.execPath,
      workspaceAt: workspaces({ privatePaths }),
      deny: config.tools.shell.deny,
      maxOutputBytes: config.tools.shell.max_output_bytes,
      clock,
      log,
    },
    registry,
    // A builtin tool that is switched off leaves its name to nobody.
    reservedNames: reservedNames(config),
    trust,
    isForbidden: forbiddenPlaces(config),
    isConfined: () => bounds.isConfined(),
    tellOwners,
  });
  voices.answerWith((name, event, signal) => plugins.ask(name, event, signal));
  return plugins;
}

/** Tells whether nothing may be loaded from a path without links: what tools can write, they could have Keyturn load. */
function forbiddenPlaces({ agents, workspace, data_dir }: Config): (path: string) => Promise<boolean> {
  const others = Object.values(agents).flatMap((agent) => agent.workspace ?? []);
  const templates = [workspace, ...others, data_dir];
  return async (path) =>
    (await Promise.all(templates.map((template) => liesInWorkspace(path, template)))).includes(true);
}
