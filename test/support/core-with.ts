import type { FeatureCore } from '../../src/feature-points.ts';

/** The parts of a feature that a test needs. The others are missing. */
export function coreWith(parts: Partial<Record<keyof FeatureCore, unknown>>): FeatureCore {
  const core: unknown = parts;
  return core as FeatureCore;
}
