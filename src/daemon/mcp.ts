import type { Config } from '../config/schema.ts';
import { ownVersion } from '../lib/own-version.ts';
import builtins from '../tools/builtin/definitions.json' with { type: 'json' };
import { unbounded } from '../tools/guard/process/bounds.ts';
import { longLivedGuard } from '../tools/guard/process/long-lived-process.ts';
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import type { Door } from '../tools/sources/mcp/door.ts';
import { httpDoor } from '../tools/sources/mcp/http-door.ts';
import { loadLibrary, type McpLibrary } from '../tools/sources/mcp/library.ts';
import { McpError } from '../tools/sources/mcp/mcp-error.ts';
import { processDoor } from '../tools/sources/mcp/process-door.ts';
import { McpServer } from '../tools/sources/mcp/server.ts';
import type { McpServerSettings, McpWay } from '../tools/sources/mcp/server-settings.ts';
import { McpServers } from '../tools/sources/mcp/servers.ts';
import type { Bringer, SourceParts } from './bringers.ts';
import type { Ground } from './parts.ts';
import { ownPathsOf } from './tools.ts';

/** The MCP servers of the config. Loaded only where it has some. */
export async function makeMcp(ground: Ground, { registry, trust }: SourceParts): Promise<Bringer> {
  const { config, store, adapters, clock, log, redact } = ground;
  const library = await loadLibrary();
  const all = mcpSettingsOf(config);
  const shared = {
    servers: all.map(({ name }) => name),
    ...{ library, registry, trust, redact, clock },
    // A builtin tool that is switched off leaves its name to nobody.
    reservedNames: Object.keys(builtins),
    version: ownVersion(),
    workspaceAt: workspaces({ privatePaths: ownPathsOf(ground) }),
    files: store.files,
    folder: '.keyturn/mcp',
    fileLimitOf: (channel: string) => adapters.get(channel)?.capabilities.maxFileBytes ?? 0,
  };
  return new McpServers(
    all.map((settings) => {
      const ownLog = log.child({ server: settings.name });
      const door = doorOf(settings.way, library, { ...ground, log: ownLog });
      return new McpServer({ ...shared, settings, door, log: ownLog });
    }),
  );
}

/** Those that are switched on. */
export function mcpSettingsOf({ mcp_servers, tools }: Config): readonly McpServerSettings[] {
  return Object.entries(mcp_servers)
    .filter(([, { enabled }]) => enabled)
    .map(([name, server]) => ({
      name,
      way: wayOf(server),
      timeout: server.timeout_secs * 1000,
      listLifetime: server.list_ttl_secs * 1000,
      questionTimeout: tools.ask.timeout_secs * 1000,
      trustsAnnotations: server.trust_annotations,
      ...(server.category === undefined ? {} : { category: server.category }),
      tools: server.tools,
    }));
}

function wayOf(server: Config['mcp_servers'][string]): McpWay {
  const { command, args, env, cwd = '.', sandbox, url, headers, allow_private } = server;
  if (url !== undefined) return { type: 'http', url: new URL(url), headers, mayBePrivate: allow_private };
  return { type: 'process', command: command ?? '', args, environment: env, directory: cwd, isConfined: sandbox };
}

function doorOf(way: McpWay, library: McpLibrary, ground: Ground): Door {
  const { config, clock, log, environment, bounds, sandbox } = ground;
  switch (way.type) {
    case 'http':
      return httpDoor({ way, allowPrivate: config.tools.network.allow_private, library, clock });
    case 'process': {
      const guard = longLivedGuard({ clock, environment, bounds: way.isConfined ? bounds.bounds : unbounded });
      const door = processDoor({ way, guard, library, clock, log });
      if (!way.isConfined || sandbox.holds) return door;
      const refusal = `the config wants it in the sandbox, and there is none: ${sandbox.reason}`;
      return { ...door, open: () => Promise.reject(new McpError(refusal)) };
    }
  }
}
