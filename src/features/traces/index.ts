import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { collectorIn } from './collector.ts';

/**
 * Traces for an OpenTelemetry collector. The environment says where it is, and it is read at the start; nothing else is
 * loaded where it says nothing.
 */
export const traces: FeatureDefinition = { name: 'traces', make: makeTraces };

async function makeTraces(core: FeatureCore): Promise<Feature> {
  const collector = collectorIn(core.environment);
  if (collector === undefined) return {};
  if ('reason' in collector) {
    core.log.warn({ why: collector.reason }, 'no traces are sent');
    return {};
  }
  const { runTraces } = await import('./running-traces.ts');
  return runTraces(core, collector);
}
