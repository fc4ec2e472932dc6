import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from './schema.ts';

/** The config with its paths absolute: relative ones start at the folder, `~/` at the home folder. */
export function withAbsolutePaths(config: Config, folder: string): Config {
  const inFolder = <Hook extends { readonly working_dir: string }>(hook: Hook): Hook => ({
    ...hook,
    working_dir: absolute(hook.working_dir, folder),
  });
  return {
    ...config,
    data_dir: absolute(config.data_dir, folder),
    workspace: absolute(config.workspace, folder),
    plugins: { ...config.plugins, plugin_dirs: config.plugins.plugin_dirs.map((path) => absolute(path, folder)) },
    tool_modules: config.tool_modules.map((path) => absolute(path, folder)),
    channel_plugins: Object.fromEntries(
      Object.entries(config.channel_plugins).map(([name, { path, from, ...plugin }]) => [
        name,
        {
          ...plugin,
          from: absolute(from, folder),
          ...(path === undefined ? {} : { path: absolute(path, folder) }),
        },
      ]),
    ),
    hooks: {
      before_tool_call: config.hooks.before_tool_call.map(inFolder),
      after_tool_call: config.hooks.after_tool_call.map(inFolder),
    },
    mcp_servers: Object.fromEntries(
      Object.entries(config.mcp_servers).map(([name, server]) => [
        name,
        { ...server, cwd: absolute(server.cwd ?? '.', folder) },
      ]),
    ),
    agents: Object.fromEntries(
      Object.entries(config.agents).map(([name, agent]) => [
        name,
        agent.workspace === undefined ? agent : { ...agent, workspace: absolute(agent.workspace, folder) },
      ]),
    ),
  };
}

function absolute(path: string, folder: string): string {
  if (path === '~' || path.startsWith('~/')) return resolve(homedir(), path.slice(2));
  return resolve(folder, path);
}
