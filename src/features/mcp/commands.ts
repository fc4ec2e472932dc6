import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { commandWords } from '../../conversation/commands/words.ts';
import { troubleWords } from '../../extension-kit/providers.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import type { McpServer } from './server.ts';
import { mcpCommandWords } from './words.ts';

export const mcpCommands = defineCommands(mcpCommandWords, { mcp: { section: 'owners', order: 160 } });

/** `/mcp`, for owners, where no group reads along. `running`: the servers of the config. */
export function obeyedMcpCommands(core: FeatureCore, running: () => readonly McpServer[]): readonly ObeyedCommand[] {
  return mcpCommands.obeyed({ mcp: (given) => showServers(given, core, running()) });
}

/** Each server, its tools, and what is left out. */
async function showServers(
  { origin: { principal, conversation }, answer, reader: { language } }: GivenCommand,
  { rules }: FeatureCore,
  servers: readonly McpServer[],
): Promise<void> {
  const words = commandWords[language];
  if (!rules.isOwner(principal)) return answer(words.ownersOnly);
  if (conversation.kind === 'group') return answer(words.notInGroups);
  if (servers.length === 0) return answer(mcpCommandWords[language].noServers);
  const lines = servers.map((server) => `- ${escapeMarkdown(server.report(language))}`);
  const troubles = servers.flatMap((server) => troubleWords(server, language));
  await answer([lines.join('\n'), ...troubles].join('\n\n'));
}
