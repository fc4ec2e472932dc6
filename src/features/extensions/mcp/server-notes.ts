import { privateHint } from '../../../config/private-hint.ts';
import type { InLanguage } from '../../../lib/words.ts';
import type { ExtensionSettings } from '../extension-keys.ts';

type Servers = ExtensionSettings['mcp_servers'];

/** How the rules treat the tools of each MCP server, as far as is known before it is asked. */
export function serverNotes(mcp_servers: Servers): readonly string[] {
  const namesByWords = Map.groupBy(serverWords(mcp_servers), ({ words }) => words);
  return [...namesByWords].map(([words, places]) => `${places.map(({ place }) => place).join('; ')}: ${words}.`);
}

/** The words for each server and each pattern of its tools. */
function serverWords(servers: Servers): readonly { readonly place: string; readonly words: string }[] {
  return Object.entries(servers).flatMap(([name, server]) => {
    if (!server.enabled) return [];
    // The operator's settings override what a server says of its tools, but "destructive" is believed.
    const reads = server.trust_annotations ? ', or network_read where they say that they only read' : '';
    const all = `${server.category ?? `${defaultCategory}${reads}`}, or destructive where they say so`;
    return [
      { place: `mcp_servers.${name}`, words: `its tools are ${all}; ${toolWords(server)}` },
      ...Object.entries(server.tools).map(([pattern, { enabled, category, ...own }]) => {
        // The tool's own settings override those of its server.
        const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
        const words = enabled ? `${category ?? all}; ${toolWords({ ...server, ...given })}` : 'off';
        return { place: `mcp_servers.${name}, ${pattern}`, words };
      }),
    ];
  });
}

/** The category of tools without a setting: they ask. */
const defaultCategory = 'network_write';

/** The tools that the config says only read, and whose names look as if what they read is private. */
export function privateServerTools(servers: Servers): readonly InLanguage[] {
  return Object.entries(servers)
    .filter(([, server]) => server.enabled && server.private === undefined)
    .flatMap(([name, server]) =>
      Object.entries(server.tools)
        .filter(([, tool]) => tool.enabled && tool.private === undefined)
        .filter(([, tool]) => (tool.category ?? server.category) === 'network_read')
        .flatMap(([tool]) => privateHint(`mcp_servers.${name}.tools.${tool}`, tool)),
    );
}

type ToolWords = Pick<Servers[string], 'private' | 'outbound' | 'trusted' | 'targets' | 'own_words' | 'free_text'>;

/** The settings that the taint rules use. */
function toolWords(tool: ToolWords): string {
  const { private: isPrivate = 'by category', outbound = true, trusted = false } = tool;
  const targets = tool.targets === undefined ? 'by the names of their parameters' : tool.targets.join(', ') || 'none';
  return [
    `private: ${isPrivate}, outbound: ${outbound}, trusted: ${trusted}, targets: ${targets}`,
    ...(tool.own_words === undefined ? [] : [`own_words: ${tool.own_words}`]),
    ...(tool.free_text === undefined ? [] : [`free_text: ${tool.free_text.join(', ') || 'none'}`]),
  ].join(', ');
}
