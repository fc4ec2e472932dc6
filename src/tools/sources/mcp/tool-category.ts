import type { ToolAnnotations } from '@modelcontextprotocol/client';
import type { ToolCategory } from '../../category.ts';
import { matchesAny } from '../../tool-pattern.ts';
import type { McpServerSettings } from './server-settings.ts';

/** What the operator has said of a tool: by its name, or by the first pattern that fits. */
function rulesFor(tool: string, { tools }: McpServerSettings): McpServerSettings['tools'][string] | undefined {
  if (Object.hasOwn(tools, tool)) return tools[tool];
  return Object.entries(tools).find(([pattern]) => matchesAny([pattern], tool))?.[1];
}

/** Whether the operator wants the tool at all. */
export function isWanted(tool: string, settings: McpServerSettings): boolean {
  return rulesFor(tool, settings)?.enabled ?? true;
}

/**
 * What a tool touches: by the operator's word for it, or for all of its server. Else whatever it says that it only reads is
 * believed where the operator trusts that; and all other tools are asked for, as what writes somewhere else.
 */
export function categoryOf(
  tool: string,
  annotations: ToolAnnotations | undefined,
  settings: McpServerSettings,
): ToolCategory {
  const said = rulesFor(tool, settings)?.category ?? settings.category;
  if (said !== undefined) return said;
  if (!settings.trustsAnnotations || annotations?.readOnlyHint !== true) return 'network_write';
  // A program here that speaks with nobody else reads what is here.
  const isLocal = settings.way.type === 'process' && annotations.openWorldHint === false;
  return isLocal ? 'filesystem_read' : 'network_read';
}
