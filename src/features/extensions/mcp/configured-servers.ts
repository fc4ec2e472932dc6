import type { Config } from '../../../config/schema.ts';
import { reservedNames } from '../../../config/tool-rules.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { ownVersion } from '../../../lib/own-version.ts';
import { unbounded } from '../../../tools/guard/process/bounds.ts';
import { longLivedGuard } from '../../../tools/guard/process/process.ts';
import { workspaces } from '../../../tools/guard/workspace/workspace.ts';
import type { Trust } from '../trust/trusted.ts';
import { type Endpoint, McpError } from './connection.ts';
import { httpEndpoint } from './http-endpoint.ts';
import { processEndpoint } from './process-transport.ts';
import { McpServer, McpServers } from './server.ts';
import { loadLibrary, type McpLibrary, type McpServerSettings, type McpWay } from './server-settings.ts';

/** The MCP servers of the config. */
export async function configuredServers(core: FeatureCore, trust: Trust): Promise<McpServers> {
  const { config, store, registry, adapters, clock, log, redact, ownPaths: privatePaths } = core;
  const library = await loadLibrary();
  const all = mcpSettingsOf(config);
  const shared = {
    servers: all.map(({ name }) => name),
    ...{ library, registry, trust, redact, clock },
    // A builtin tool that is switched off leaves its name to nobody.
    reservedNames: reservedNames(config),
    version: ownVersion(),
    workspaceAt: workspaces({ privatePaths }),
    files: store.files,
    folder: '.keyturn/mcp',
    fileLimitOf: (channel: string) => adapters.get(channel)?.capabilities.maxFileBytes ?? 0,
  };
  return new McpServers(
    all.map((settings) => {
      const ownLog = log.child({ server: settings.name });
      const endpoint = endpointOf(settings.way, library, { ...core, log: ownLog });
      return new McpServer({ ...shared, settings, endpoint, log: ownLog });
    }),
  );
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

function endpointOf(way: McpWay, library: McpLibrary, core: FeatureCore): Endpoint {
  const { config, clock, log, environment, bounds, sandbox } = core;
  switch (way.type) {
    case 'http':
      return httpEndpoint({ way, allowPrivate: config.tools.network.allow_private, library, clock, log });
    case 'process': {
      const guard = longLivedGuard({ clock, environment, bounds: way.isConfined ? bounds.bounds : unbounded });
      const endpoint = processEndpoint({ way, guard, library, clock, log });
      if (!way.isConfined || sandbox.holds) return endpoint;
      const refusal = `the config wants it in the sandbox, and there is none: ${sandbox.reason}`;
      return { ...endpoint, open: () => Promise.reject(new McpError(refusal)) };
    }
  }
}
