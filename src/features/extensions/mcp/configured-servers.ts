import { reservedNames } from '../../../config/tool-rules.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import type { Log } from '../../../lib/log.ts';
import { BoundsError, type CommandBounds, unbounded } from '../../../tools/guard/process/bounds.ts';
import { longLivedGuard } from '../../../tools/guard/process/process.ts';
import { workspaces } from '../../../tools/guard/workspace/workspace.ts';
import type { Trust } from '../trust.ts';
import type { Endpoint } from './connection.ts';
import { httpEndpoint, processEndpoint } from './endpoints.ts';
import { McpServer } from './server.ts';
import { loadLibrary, type McpLibrary, type McpServerSettings } from './server-settings.ts';

/** An MCP server of the config, which is switched on. */
export async function configuredServer(name: string, core: FeatureCore, trust: Trust): Promise<McpServer> {
  const { config, store, adapters, ownPaths: privatePaths } = core;
  const library = await loadLibrary();
  const server = config.mcp_servers[name];
  if (server === undefined) throw new Error(`there is no MCP server ${name} in the config`);
  const settings = { ...server, name };
  const log = core.log.child({ server: name });
  return new McpServer({
    ...core,
    ...{ library, trust, settings, log },
    servers: Object.keys(config.mcp_servers).filter((one) => config.mcp_servers[one]?.enabled),
    endpoint: endpointOf(settings, library, core, log),
    // A builtin tool that is switched off leaves its name to nobody.
    reservedNames: reservedNames(config),
    questionTimeout: config.tools.ask.timeout_secs * 1000,
    workspaceAt: workspaces({ privatePaths }),
    files: store.files,
    folder: '.keyturn/mcp',
    fileLimitOf: (channel) => adapters.get(channel)?.capabilities.maxFileBytes ?? 0,
  });
}

function endpointOf(settings: McpServerSettings, library: McpLibrary, core: FeatureCore, log: Log): Endpoint {
  const { config, clock, environment, bounds } = core;
  const { command = '', args, env, cwd: directory = '.', sandbox: isConfined, url, headers, allow_private } = settings;
  if (url !== undefined) {
    const way = { url: new URL(url), headers, mayBePrivate: allow_private };
    return httpEndpoint({ way, allowPrivate: config.tools.network.allow_private, library, clock, log });
  }
  // Whether there is a sandbox is asked at each start of it: an edit may have changed that.
  const inSandbox: CommandBounds = async (bare) => {
    const { sandbox } = core;
    if (sandbox.holds) return bounds.bounds(bare);
    throw new BoundsError(`the config wants it in the sandbox, and there is none: ${sandbox.reason}`);
  };
  const guard = longLivedGuard({ clock, environment, bounds: isConfined ? inSandbox : unbounded });
  const way = { command, args, directory, variables: env };
  return processEndpoint({ way, guard, library, clock, log });
}
