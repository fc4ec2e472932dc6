import { createProviders, type WantedProvider } from '../../extension-kit/providers.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { mcpCommands, obeyedMcpCommands } from './commands.ts';
import type { McpServer } from './server.ts';
import { mcpSettings } from './settings.ts';

/**
 * The MCP servers of the config, and their tools, each in use while an owner trusts it as it is. Only what the config
 * names is loaded. A failure affects nothing else.
 */
export const mcp: FeatureDefinition = {
  name: 'mcp',
  commands: mcpCommands.all,
  settings: mcpSettings,
  make: makeMcp,
};

function makeMcp(core: FeatureCore): Feature {
  const { running, reports, start, reload, faults, stop } = createProviders(core, () => wantedServers(core));
  return { ...reports, commands: obeyedMcpCommands(core, running), start, reload, faults, stop };
}

function wantedServers(core: FeatureCore): readonly WantedProvider<McpServer>[] {
  const { tools } = core.config;
  return Object.entries(core.settings(mcpSettings).mcp_servers).flatMap(([name, server]) => {
    if (!server.enabled) return [];
    // Through another proxy, there are other connections.
    const network = server.url === undefined ? undefined : core.network.settings;
    return {
      place: ['mcp_servers', name],
      madeOf: { name, server, network, allowed: tools.network.allow_private, ask: tools.ask.timeout_secs },
      make: async () => (await import('./server.ts')).configuredServer(name, core, core.trust),
    };
  });
}
