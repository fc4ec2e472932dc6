import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { evidenceCommands, obeyedEvidenceCommands } from './commands.ts';

/** `/log`: what was done. Reads what the core has stored of each call; changes nothing. */
export const evidence: FeatureDefinition = { name: 'evidence', commands: evidenceCommands.all, make: makeEvidence };

function makeEvidence(core: FeatureCore): Feature {
  return { commands: obeyedEvidenceCommands(core) };
}
