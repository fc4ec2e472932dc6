import type { Bringer, SourceParts } from './bringers.ts';
import type { Ground } from './parts.ts';

/** All that brings tools from elsewhere, as the config wants it. What is not configured is not loaded. */
export async function makeSources(ground: Ground, parts: SourceParts): Promise<readonly Bringer[]> {
  const { config } = ground;
  const hasModules = config.tool_modules.length > 0;
  const hasChannels = Object.keys(config.channel_plugins).length > 0;
  const hasServers = Object.values(config.mcp_servers).some(({ enabled }) => enabled);
  return [
    ...(hasChannels ? [(await import('./channel-plugins.ts')).makeChannelPlugins(ground, parts)] : []),
    ...(hasServers ? [await (await import('./mcp.ts')).makeMcp(ground, parts)] : []),
    ...(hasModules ? [(await import('./modules.ts')).makeToolModules(ground, parts)] : []),
    ...(config.plugins.enabled ? [(await import('./plugins.ts')).makePlugins(ground, parts)] : []),
  ];
}
