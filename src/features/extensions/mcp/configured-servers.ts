import type { Config } from '../../../config/schema.ts';
import { reservedNames } from '../../../config/tool-rules.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import type { Log } from '../../../lib/log.ts';
import { ownVersion } from '../../../lib/own-version.ts';
import { BoundsError, type CommandBounds, unbounded } from '../../../tools/guard/process/bounds.ts';
import { longLivedGuard } from '../../../tools/guard/process/process.ts';
import { workspaces } from '../../../tools/guard/workspace/workspace.ts';
import type { Trust } from '../trust/trusted.ts';
import type { Endpoint } from './connection.ts';
import { httpEndpoint } from './http-endpoint.ts';
import { processEndpoint } from './process-transport.ts';
import { McpServer } from './server.ts';
import { loadLibrary, type McpLibrary, type McpServerSettings, type McpWay } from './server-settings.ts';

/** An MCP server of the config, which is switched on. */
export async function configuredServer(name: string, core: FeatureCore, trust: Trust): Promise<McpServer> {
  const { config, store, registry, adapters, clock, redact, ownPaths: privatePaths } = core;
  const library = await loadLibrary();
  const all = mcpSettingsOf(config);
  const settings = all.find((server) => server.name === name);
  if (settings === undefined) throw new Error(`there is no MCP server ${name} in the config`);
  const log = core.log.child({ server: name });
  return new McpServer({
    servers: all.map((server) => server.name),
    ...{ library, registry, trust, redact, clock, settings, log },
    endpoint: endpointOf(settings.way, library, core, log),
    // A builtin tool that is switched off leaves its name to nobody.
    reservedNames: reservedNames(config),
    version: ownVersion(),
    workspaceAt: workspaces({ privatePaths }),
    files: store.files,
    folder: '.keyturn/mcp',
    fileLimitOf: (channel: string) => adapters.get(channel)?.capabilities.maxFileBytes ?? 0,
  });
}

/** Those that are switched on. */
function mcpSettingsOf({ mcp_servers, tools }: Config): readonly McpServerSettings[] {
  return Object.entries(mcp_servers)
    .filter(([, { enabled }]) => enabled)
    .map(([name, server]) => ({
      name,
      way: wayOf(server),
      timeout: server.timeout_secs * 1000,
      listLifetime: server.list_ttl_secs * 1000,
      questionTimeout: tools.ask.timeout_secs * 1000,
      trustsAnnotations: server.trust_annotations,
      isReviewed: server.review_tools,
      category: server.category,
      private: server.private,
      outbound: server.outbound,
      trusted: server.trusted,
      targets: server.targets,
      tools: server.tools,
    }));
}

function wayOf(server: Config['mcp_servers'][string]): McpWay {
  const { command, args, env, cwd = '.', sandbox, url, headers, allow_private } = server;
  if (url !== undefined) return { type: 'http', url: new URL(url), headers, mayBePrivate: allow_private };
  return { type: 'process', command: command ?? '', args, environment: env, directory: cwd, isConfined: sandbox };
}

function endpointOf(way: McpWay, library: McpLibrary, core: FeatureCore, log: Log): Endpoint {
  const { config, clock, environment, bounds } = core;
  switch (way.type) {
    case 'http':
      return httpEndpoint({ way, allowPrivate: config.tools.network.allow_private, library, clock, log });
    case 'process': {
      // Whether there is a sandbox is asked at each start of it: an edit may have changed that.
      const inSandbox: CommandBounds = async (command) => {
        const { sandbox } = core;
        if (sandbox.holds) return bounds.bounds(command);
        throw new BoundsError(`the config wants it in the sandbox, and there is none: ${sandbox.reason}`);
      };
      const guard = longLivedGuard({ clock, environment, bounds: way.isConfined ? inSandbox : unbounded });
      return processEndpoint({ way, guard, library, clock, log });
    }
  }
}
