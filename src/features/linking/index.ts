import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { linkCommands, linkingCommands } from './commands.ts';

/** People link their accounts on several platforms, and count as one person from then on. */
export const linking: FeatureDefinition = { name: 'linking', commands: linkingCommands.all, make: makeLinking };

function makeLinking(core: FeatureCore): Feature {
  core.listings.set('links', { list: async (asked) => (await import('./listing.ts')).listLinks(asked, core) });
  return linkCommands(core);
}
