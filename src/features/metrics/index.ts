import type { ConfigChange, Feature, FeatureCore, FeatureDefinition, PartFault } from '../../feature-points.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { wordsIn } from '../../lib/words.ts';
import type { RunningMetrics } from './running-metrics.ts';
import { metricsSettings } from './settings.ts';

/** Figures of what Keyturn does, for Prometheus. Nothing of it is loaded while it is off. */
export const metrics: FeatureDefinition = { name: 'metrics', settings: metricsSettings, make: makeMetrics };

interface MetricsContext {
  readonly core: FeatureCore;
  running: RunningMetrics | undefined;
}

/** It counts from here on: what happens while the rest starts is counted, too. */
async function makeMetrics(core: FeatureCore): Promise<Feature> {
  const context: MetricsContext = { core, running: undefined };
  if (core.settings(metricsSettings).metrics.enabled) context.running = await begin(core);
  return {
    start: async () => context.running?.open(),
    reload: (change) => follow(change, context),
    faults: async () => faultsOf(context),
    async troubles(origin) {
      const fault = core.owners.isOwner(origin.principal) ? context.running?.fault() : undefined;
      if (fault === undefined) return [];
      return [`⚠️ ${escapeMarkdown(wordsIn(core.readerOf(origin).language, fault))}`];
    },
    stop: async () => context.running?.close(),
  };
}

async function begin(core: FeatureCore): Promise<RunningMetrics> {
  const { runMetrics } = await import('./running-metrics.ts');
  return runMetrics(core);
}

/** The token is read at each request. */
async function follow({ from, to }: ConfigChange, context: MetricsContext): Promise<void> {
  const [before, now] = [metricsSettings.read(from).metrics, metricsSettings.read(to).metrics];
  if (!now.enabled) {
    const { running } = context;
    context.running = undefined;
    return running?.close();
  }
  const isAsBefore = before.host === now.host && before.port === now.port;
  if (context.running !== undefined && isAsBefore) return;
  context.running ??= await begin(context.core);
  await context.running.open();
}

function faultsOf({ running }: MetricsContext): readonly PartFault[] {
  const words = running?.fault();
  return words === undefined ? [] : [{ place: ['metrics'], words }];
}
