import { settingsIn } from '../../conversation/commands/reports/status.ts';
import { permissionOf, type ToolPermission } from '../../conversation/commands/reports/tools/tool-permission.ts';
import type { Language } from '../../lib/words.ts';
import { sourceIn } from '../../tools/registry.ts';
import type { ToolScope } from '../../tools/tool.ts';
import type { LocalParts } from './local-parts.ts';
import { machineChannel, machinePrincipal } from './machine.ts';

/** A tool that an owner has in a direct chat. */
export interface ToolFacts extends ToolPermission {
  readonly name: string;
  readonly category: string;
  /** For a person: `built in`, `server files`. */
  readonly source: string;
}

/** The tools, sorted by source and name. */
export function toolFacts(language: Language, { services }: Pick<LocalParts, 'services'>): readonly ToolFacts[] {
  const { registry, config } = services;
  const settings = settingsIn(undefined, config);
  const tools = registry.list(scopeOf(services)).map((tool): ToolFacts => {
    const { name, category, source } = tool;
    return { name, category, source: sourceIn(language, source), ...permissionOf(tool, settings, language) };
  });
  return tools.toSorted((one, other) => one.source.localeCompare(other.source) || one.name.localeCompare(other.name));
}

/** As in the direct chat of the first owner. Makes no folder. */
function scopeOf({ owners, config }: LocalParts['services']): ToolScope {
  const [principal = machinePrincipal] = owners.all();
  const chat = { channel: machineChannel, chatId: 'local', kind: 'direct' } as const;
  return {
    ...chat,
    conversationId: machinePrincipal,
    workspace: config.workspace,
    sender: { principal, name: principal },
  };
}
