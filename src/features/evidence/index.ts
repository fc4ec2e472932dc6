import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { evidenceCommands, obeyedEvidenceCommands } from './commands.ts';
import { evidenceTables } from './tables.ts';

/** `/log`: what was done; `/why`: which rule let a call run or asked. Reads what the core has stored of each call; changes nothing. */
export const evidence: FeatureDefinition = {
  name: 'evidence',
  commands: evidenceCommands.all,
  tables: evidenceTables,
  make: makeEvidence,
};

function makeEvidence(core: FeatureCore): Feature {
  return { commands: obeyedEvidenceCommands(core) };
}
