import type { Config } from '../../src/config/schema.ts';
import type { OwnSettings } from '../../src/config/settings-part.ts';
import type { FeatureCore } from '../../src/feature-points.ts';

/** The parts of a feature that a test needs. The others are missing. The settings are those of the config. */
export function coreWith(parts: Partial<Record<keyof FeatureCore, unknown>>): FeatureCore {
  const settings = <Settings extends object>(own: OwnSettings<Settings>): Settings => own.read(parts.config as Config);
  const core: unknown = { settings, ...parts };
  return core as FeatureCore;
}
