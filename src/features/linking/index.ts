import type { FeatureDefinition } from '../../feature-points.ts';
import { linkCommands, linkingCommands } from './commands.ts';

/** People link their accounts on several platforms, and count as one person from then on. */
export const linking: FeatureDefinition = { name: 'linking', commands: linkingCommands.all, make: linkCommands };
