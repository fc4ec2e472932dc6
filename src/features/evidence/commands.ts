import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { evidenceWords } from './words.ts';

export const evidenceCommands = defineCommands(evidenceWords, {
  log: { section: 'here', order: 67 },
});

/** What they do is loaded when somebody asks for it. */
export function obeyedEvidenceCommands(core: FeatureCore): readonly ObeyedCommand[] {
  return evidenceCommands.obeyed({
    log: async (given) => (await import('./log.ts')).log(given, core),
  });
}
