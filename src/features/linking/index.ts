import type { Feature, FeatureCore } from '../../feature-points.ts';
import { linkCommands } from './link-commands.ts';

/** People say which accounts are theirs, on several platforms, and are one person from then on. */
export function linking(core: FeatureCore): Feature {
  return { commands: [linkCommands(core)] };
}
