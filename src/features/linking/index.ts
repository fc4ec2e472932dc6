import type { Feature, FeatureCore } from '../../feature-points.ts';
import { linkCommands } from './link-commands.ts';

/** People link their accounts on several platforms, and count as one person from then on. */
export function linking(core: FeatureCore): Feature {
  return { commands: [linkCommands(core)] };
}
