import type { Config } from '../../config/schema.ts';
import { reservedNames } from '../../config/tool-rules.ts';
import type { ChannelPort, FeatureCore } from '../../feature-points.ts';
import { liesInWorkspace } from '../../tools/guard/workspace/private-places.ts';
import { workspaces } from '../../tools/guard/workspace/workspace.ts';
import type { ChannelPlace } from './channel-plugins/channel-entry.ts';
import type { PluginVoices } from './hooks/hooks.ts';
import type { Trust } from './trust/trusted.ts';

/** Something that brings tools, or channels, while the daemon runs. */
export interface Provider {
  /** Begins; resolves without waiting for what may take long. Never rejects: what goes wrong is told to the operator. */
  start(): Promise<void>;
  /** Takes away what it has brought, and leaves nothing running. Ends within 2 s. */
  stop(): Promise<void>;
  /** What an owner should know of it now, a line of plain text each. */
  troubles?(): readonly string[];
}

interface Parts {
  readonly trust: Trust;
  /** Where channels from elsewhere come in. */
  readonly channels: ChannelPort;
  /** Told where plugins can be asked as hooks. */
  readonly voices: PluginVoices;
}

/** All that brings tools or channels from elsewhere, as the config wants it. What is not configured is not loaded. */
export function makeProviders(core: FeatureCore, parts: Parts): Promise<readonly Provider[]> {
  const { config } = core;
  const hasModules = config.tool_modules.length > 0;
  const hasChannels = Object.keys(config.channel_plugins).length > 0;
  const hasServers = Object.values(config.mcp_servers).some(({ enabled }) => enabled);
  return Promise.all([
    ...(hasChannels ? [makeChannelPlugins(core, parts)] : []),
    ...(hasServers ? [makeServers(core, parts)] : []),
    ...(hasModules ? [makeToolModules(core, parts)] : []),
    ...(config.plugins.enabled ? [makePlugins(core, parts)] : []),
  ]);
}

async function makeServers(core: FeatureCore, { trust }: Parts): Promise<Provider> {
  return (await import('./mcp/configured-servers.ts')).configuredServers(core, trust);
}

/** The channels that others have written. */
async function makeChannelPlugins(core: FeatureCore, { trust, channels }: Parts): Promise<Provider> {
  const { ChannelPlugins } = await import('./channel-plugins/channel-plugins.ts');
  const { config, health, clock, log, tellOwners } = core;
  const names = channels.plugged();
  return new ChannelPlugins({
    plugins: new Map(names.map((name) => [name, { place: placeOf(config, name), block: config.channels[name] }])),
    isForbidden: forbiddenPlaces(config),
    trust,
    attach: (name, adapter) => channels.attach(name, adapter),
    detach: (name) => channels.detach(name),
    reportHealth: (name, reported) => health.report(name, reported),
    clock,
    log,
    tellOwners,
  });
}

function placeOf({ channel_plugins }: Config, name: string): ChannelPlace {
  const { path = '', package: packageName, from = '' } = channel_plugins[name] ?? {};
  return packageName === undefined ? { type: 'path', path } : { type: 'package', name: packageName, from };
}

/** The tools of the operator's own files. */
async function makeToolModules(core: FeatureCore, { trust }: Parts): Promise<Provider> {
  const { ToolModules } = await import('./module/tool-modules.ts');
  const { config, registry, log, tellOwners } = core;
  return new ToolModules({
    paths: config.tool_modules,
    isForbidden: forbiddenPlaces(config),
    reservedNames: reservedNames(config),
    ...{ registry, trust, log, tellOwners },
  });
}

/** The plugins in the operator's folders. */
async function makePlugins(core: FeatureCore, { trust, voices }: Parts): Promise<Provider> {
  const [{ Plugins }, { longLivedGuard, processGuard }] = await Promise.all([
    import('./plugin/plugins.ts'),
    import('../../tools/guard/process/process.ts'),
  ]);
  const { config, registry, clock, log, environment, bounds, ownPaths: privatePaths, tellOwners } = core;
  const { plugin_dirs, allowed_plugins, blocked_plugins } = config.plugins;
  const guarded = { clock, environment, bounds: bounds.bounds };
  const plugins = new Plugins({
    settings: { folders: plugin_dirs, allowed: allowed_plugins, blocked: blocked_plugins },
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
