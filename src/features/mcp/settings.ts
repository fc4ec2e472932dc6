/* The key of the config that names MCP servers: `mcp_servers`. */

import { existsSync } from 'node:fs';
import { holdsKey } from '../../config/loose-settings.ts';
import { type Brought, settingsPart } from '../../config/settings-part.ts';
import { type McpSettings, mcpKeys } from './mcp-keys.ts';
import { privateServerTools, serverNotes } from './server-notes.ts';
import { mcpSettingWords } from './settings/words.ts';

/** The keys of this feature. */
export const mcpSettings = settingsPart({
  keys: mcpKeys,
  switched: ['mcp_servers'],
  brings: (settings) => brought(settings),
  *warnings({ mcp_servers }) {
    for (const [name, { command = '' }] of Object.entries(mcp_servers))
      if (/\s/.test(command) && !existsSync(command))
        yield (language) => mcpSettingWords[language].programAlone({ name });
  },
  notes: ({ mcp_servers }) => [...serverNotes(mcp_servers), ...privateServerTools(mcp_servers)],
  // Loaded only for this look.
  missing: async (settings, around) => (await import('./missing-parts.ts')).missingParts(settings, around),
});

function brought({ mcp_servers }: McpSettings): Partial<Brought> {
  const servers = Object.entries(mcp_servers);
  const running = servers.filter(([, server]) => server.enabled);
  return {
    toolNames: servers.map(([name]) => `${name}_*`),
    calls: running.map(([name, { category = defaultCategory }]) => ({ name: `${name}_*`, category })),
    playedCalls: running.flatMap(([server, { category = defaultCategory, tools }]) => [
      { name: `${server}_*`, category },
      ...Object.entries(tools)
        .filter(([, tool]) => tool.enabled)
        .map(([pattern, own]) => ({ name: `${server}_${pattern}`, category: own.category ?? category })),
    ]),
    // Sandboxed servers can do no more than any command.
    programs: servers
      .filter(([, { sandbox }]) => !sandbox)
      .map(([name, { command, args, cwd: folder = '.' }]) => ({
        key: `mcp_servers.${name}`,
        words: [command ?? '', ...args.flatMap((each) => each.split('='))],
        folder,
      })),
    servers: running.map(([name, { url, headers }]) => ({
      path: ['mcp_servers', name, 'url'],
      address: url,
      hasKey: holdsKey(undefined, headers),
    })),
  };
}

/** The category of tools without a setting: they ask. */
const defaultCategory = 'network_write';
