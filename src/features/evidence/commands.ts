import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { evidenceWords } from './words.ts';

export const evidenceCommands = defineCommands(evidenceWords, {
  why: { section: 'here', order: 66, isOften: true },
  log: { section: 'here', order: 67 },
});

/** What they do is loaded when somebody asks for it. */
export function obeyedEvidenceCommands(core: FeatureCore): readonly ObeyedCommand[] {
  return evidenceCommands.obeyed({
    why: async (given) => (await import('./why.ts')).why(given, core),
    log: async (given) => (await import('./log.ts')).log(given, core),
  });
}
