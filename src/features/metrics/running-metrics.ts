import { Registry } from 'prom-client';
import type { FeatureCore } from '../../feature-points.ts';
import type { Words } from '../../lib/words.ts';
import { BoundNames } from './bound-names.ts';
import { createInstruments } from './instruments.ts';
import { createProcessFigures } from './process-figures.ts';
import { MetricsServer } from './server.ts';
import { metricsSettings } from './settings.ts';
import { createStateFigures } from './state-figures.ts';

/** Metrics that are switched on: they count what happens, and Prometheus can fetch them. */
export interface RunningMetrics {
  /** Opens the port, or opens it anew where the config now says. Never rejects. */
  open(): Promise<void>;
  /** Why nothing can be fetched; undefined if it can. */
  fault(): Words | undefined;
  close(): Promise<void>;
}

/** How many tools have a series of their own, and how many other names of one kind. */
const mostTools = 200;
const mostNames = 100;

/** Counts from here on. Loaded and called only if the config enables it. */
export function runMetrics(core: FeatureCore): RunningMetrics {
  const registry = new Registry();
  const values = core.settings(metricsSettings);
  const tools = new BoundNames(mostTools, (name) => core.registry.sourceOf(name) !== undefined);
  const names = new BoundNames(mostNames);
  const hear = createInstruments({
    registry,
    boundTool: (name) => tools.of(name),
    boundName: (name) => names.of(name),
  });
  const ofProcess = createProcessFigures(registry, () => core.clock.now());
  const readState = createStateFigures(registry, core);
  const page = {
    contentType: registry.contentType,
    text: async () => {
      await Promise.all([readState(), ofProcess.read()]);
      return registry.metrics();
    },
  };
  const server = new MetricsServer({ ...core, settings: () => values.metrics, page });
  const unlisten = core.telemetry.listen(hear);
  return {
    async open() {
      await server.close();
      await server.open();
    },
    fault: () => server.fault,
    async close() {
      unlisten();
      ofProcess.stop();
      registry.clear();
      await server.close();
    },
  };
}
