import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { pageTables } from './tables.ts';

/** The page in the browser: chat, approve, and see what was done. Nothing of it is loaded before the first request. */
export const page: FeatureDefinition = { name: 'page', tables: pageTables, make: makePage };

function makePage(_core: FeatureCore): Feature {
  return {};
}
