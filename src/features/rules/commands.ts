import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { RuleParts } from './allowing.ts';
import { rulesWords } from './words.ts';

export const rulesCommands = defineCommands(rulesWords, { rule: { section: 'here', order: 91 } });

/** `/rule`. What it does is loaded when somebody asks for it. */
export function obeyedRulesCommands(parts: RuleParts): readonly ObeyedCommand[] {
  return rulesCommands.obeyed({ rule: async (given) => (await import('./allowing.ts')).rule(given, parts) });
}
