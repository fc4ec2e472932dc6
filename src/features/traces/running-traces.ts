import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FeatureCore } from '../../feature-points.ts';
import { endsWithin } from '../../lib/clock.ts';
import { ownVersion } from '../../lib/own-version.ts';
import type { Collector, SamplerChoice } from './collector.ts';
import { createContent } from './content.ts';
import { createLateWork } from './late-work.ts';
import { SpanIds } from './span-ids.ts';
import { createSpans } from './spans.ts';

/** Traces that are sent. */
export interface RunningTraces {
  /** Sends what is left, if the collector takes it within a moment. Never rejects. */
  stop(): Promise<void>;
}

/** So many spans wait to be sent: what comes beyond that is lost, and nothing else. */
const mostWaiting = 2_048;
/** And so many of those with content, which are much larger, and go out in smaller groups. */
const mostWithContent = 256;
const groupWithContent = 64;
/** The end of the process waits so long for the collector, in ms. */
const longestEnd = 1_000;

type TracesCore = Pick<FeatureCore, 'telemetry' | 'clock' | 'log' | 'redact' | 'database'>;

/** Sends traces from here on. Loaded and called only if the environment names a collector. */
export function runTraces(
  { telemetry, clock, log, redact, database }: TracesCore,
  collector: Collector,
): RunningTraces {
  const { url, headers, timeout, resource, content } = collector;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeout });
  const ids = new SpanIds();
  const provider = new TracerProvider({
    idGenerator: ids,
    sampler: samplerOf(collector.sampler),
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': 'keyturn', 'service.version': ownVersion(), ...resource }),
    ),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: quietExporter(exporter, log),
        ...(content.isSent
          ? { maxQueueSize: mostWithContent, maxExportBatchSize: groupWithContent }
          : { maxQueueSize: mostWaiting }),
        exportTimeoutMillis: timeout,
      }),
    ],
  });
  const tracer = provider.getTracer('keyturn', ownVersion());
  const said = content.isSent
    ? { content: createContent({ sql: database.sql, redact, log }), later: createLateWork(log) }
    : undefined;
  const now = () => clock.now();
  const unlisten = telemetry.listen(createSpans({ tracer, ids, now, ...(said === undefined ? {} : { said }) }));
  return {
    async stop() {
      unlisten();
      const drawn = said?.later.finish() ?? Promise.resolve();
      const sent = drawn
        .then(() => provider.shutdown())
        .catch((err: unknown) => log.debug({ err }, 'the last traces could not be sent'));
      await endsWithin(sent, { clock, milliseconds: longestEnd });
    },
  };
}

/** Ids of traces are spread evenly, so each span of one is decided alike. */
function samplerOf(choice: SamplerChoice): Sampler {
  switch (choice.type) {
    case 'all':
      return new AlwaysOnSampler();
    case 'none':
      return new AlwaysOffSampler();
    case 'share':
      return new TraceIdRatioBasedSampler(choice.share);
  }
}

/** A collector that takes nothing is told of once, until it takes something again. */
function quietExporter(exporter: OTLPTraceExporter, log: FeatureCore['log']): SpanExporter {
  let hasFailed = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error !== undefined && !hasFailed) log.warn({ why: error.message }, 'the collector takes no traces');
        if (error === undefined && hasFailed) log.info({}, 'the collector takes traces again');
        hasFailed = error !== undefined;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
