import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { type ContentChoice, collectorIn } from './collector.ts';
import { traceWords } from './words.ts';

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
  tellOfContent(collector.content, core);
  const { runTraces } = await import('./running-traces.ts');
  const running = runTraces(core, collector);
  return {
    status: async (origin) => {
      if (!collector.content.isSent || !core.owners.isOwner(origin.principal)) return [];
      return [traceWords[core.readerOf(origin).language].contentSent];
    },
    stop: () => running.stop(),
  };
}

function tellOfContent({ isSent, reason }: ContentChoice, { log }: FeatureCore): void {
  if (reason !== undefined) log.warn({ why: reason }, 'traces have no content');
  if (isSent) log.warn({}, 'traces have content: the collector gets what people, models and tools say');
}
