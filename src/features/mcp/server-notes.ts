import { privateHint } from '../../config/private-hint.ts';
import type { InLanguage } from '../../lib/words.ts';
import type { McpSettings } from './mcp-keys.ts';
import { mcpWords } from './words.ts';

type Servers = McpSettings['mcp_servers'];

/** How the rules treat the tools of each MCP server, as far as is known before it is asked. */
export function serverNotes(mcp_servers: Servers): readonly InLanguage[] {
  const byWords = Map.groupBy(serverWords(mcp_servers), ({ words }) => words('en'));
  return [...byWords.values()].map((same) => (language) => {
    const places = same.map(({ place }) => place(language));
    return mcpWords[language].note({ places, words: same[0]?.words(language) ?? '' });
  });
}

interface PlaceWords {
  readonly place: InLanguage;
  readonly words: InLanguage;
}

/** The words for each server and each pattern of its tools. */
function serverWords(servers: Servers): readonly PlaceWords[] {
  return Object.entries(servers).flatMap(([name, server]) => {
    if (!server.enabled) return [];
    // The operator's settings override what a server says of its tools, but "destructive" is believed.
    const fromHints = server.category === undefined && server.trust_annotations;
    const category = { category: server.category ?? defaultCategory, fromHints, isOwn: false };
    return [
      { place: placeOf(name), words: toolsAre(category, true, server) },
      ...Object.entries(server.tools).map(([pattern, { enabled, category: own, ...settings }]) => {
        // The tool's own settings override those of its server.
        const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
        const its = own === undefined ? category : { category: own, fromHints: false, isOwn: true };
        const words = toolsAre(its, false, { ...server, ...given });
        return { place: placeOf(name, pattern), words: enabled ? words : offWords };
      }),
    ];
  });
}

function placeOf(server: string, pattern?: string): InLanguage {
  return (language) => mcpWords[language].placeOfTools({ server, pattern });
}

const offWords: InLanguage = (language) => mcpWords[language].off;

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

type Category = Parameters<(typeof mcpWords)['en']['toolsAre']>[0]['category'];

/** With the settings that the taint rules use. */
function toolsAre(category: Category, isWhole: boolean, tool: ToolWords): InLanguage {
  const { private: isPrivate, outbound = true, trusted = false, targets, own_words, free_text } = tool;
  const settings = { isPrivate, outbound, trusted, targets, ownWords: own_words, freeText: free_text };
  return (language) => mcpWords[language].toolsAre({ category, isWhole, settings });
}
