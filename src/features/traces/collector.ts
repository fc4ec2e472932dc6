/*
 * Where traces go, as the environment says by OpenTelemetry's own variables. They are taken from what Keyturn knows of the
 * environment, with its `.env`; those of certificates and compression, the exporter reads from the process itself.
 */

import type { FeatureCore } from '../../feature-points.ts';

type Environment = FeatureCore['environment'];

/** Where traces go, and what is said of their sender. */
export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In ms. */
  readonly timeout: number;
  readonly sampler: SamplerChoice;
  readonly resource: Readonly<Record<string, string>>;
  readonly content: ContentChoice;
}

/** Whether spans have what was said. `reason`: why they have not, though the environment says something: for the log. */
export interface ContentChoice {
  readonly isSent: boolean;
  readonly reason?: string;
}

export type SamplerChoice =
  | { readonly type: 'all' }
  | { readonly type: 'none' }
  | { readonly type: 'share'; readonly share: number };

/** Why no traces are sent though the environment names a collector: for the log. */
export interface Unusable {
  readonly reason: string;
}

/** Undefined if the environment wants no traces. */
export function collectorIn(environment: Environment): Collector | Unusable | undefined {
  const { OTEL_SDK_DISABLED: disabled = '', OTEL_TRACES_EXPORTER: exporter = 'otlp' } = environment;
  const url = addressIn(environment);
  if (url === undefined || /^true$/i.test(disabled.trim()) || exporter.trim() === 'none') return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    return { reason: 'the endpoint in OTEL_EXPORTER_OTLP_ENDPOINT is no http:// or https:// address' };
  const of = (name: string): string | undefined => forTraces(name, environment);
  if (of('PROTOCOL') === 'grpc')
    return {
      reason: 'OTEL_EXPORTER_OTLP_PROTOCOL wants grpc; only http/json is spoken, at port 4318 of most collectors',
    };
  const timeout = Number(of('TIMEOUT'));
  return {
    url,
    headers: {
      ...pairsIn(environment.OTEL_EXPORTER_OTLP_HEADERS),
      ...pairsIn(environment.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
    },
    timeout: timeout > 0 && Number.isFinite(timeout) ? timeout : 10_000,
    sampler: samplerIn(environment),
    resource: {
      ...pairsIn(environment.OTEL_RESOURCE_ATTRIBUTES),
      ...(isSet(environment.OTEL_SERVICE_NAME) ? { 'service.name': environment.OTEL_SERVICE_NAME } : {}),
    },
    content: contentIn(environment),
  };
}

/** The conventions' values in any case, and the older `true` and `false`. What is not understood sends nothing. */
function contentIn({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value = '' }: Environment): ContentChoice {
  switch (value.trim().toLowerCase()) {
    case '':
    case 'false':
    case 'no_content':
      return { isSent: false };
    case 'true':
    case 'span_only':
    case 'span_and_event':
      return { isSent: true };
    case 'event_only':
      return {
        isSent: false,
        reason:
          'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT wants events; only spans are sent, so set span_only',
      };
    default:
      return {
        isSent: false,
        reason:
          'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is none of no_content, span_only, span_and_event, true',
      };
  }
}

/** The address for traces is taken as it is; the one for all signals gets their path. */
function addressIn({ OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own }: Environment) {
  if (isSet(own)) return own.trim();
  return isSet(all) ? `${all.trim().replace(/\/+$/, '')}/v1/traces` : undefined;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function forTraces(name: string, environment: Environment): string | undefined {
  const own = environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`];
  return (isSet(own) ? own : environment[`OTEL_EXPORTER_OTLP_${name}`])?.trim();
}

/** `key=value,key=value`, with percent escapes. What is malformed is left out. */
function pairsIn(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const [key, value] = [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
    return at < 1 || !key || !value ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

/** Each trace begins here, so that one that follows its parent does as the rest of its name says. */
function samplerIn({
  OTEL_TRACES_SAMPLER: name = '',
  OTEL_TRACES_SAMPLER_ARG: share = '',
}: Environment): SamplerChoice {
  switch (name.trim().replace(/^parentbased_/, '')) {
    case 'always_off':
      return { type: 'none' };
    case 'traceidratio': {
      const given = Number(share);
      return isSet(share) && given >= 0 && given <= 1 ? { type: 'share', share: given } : { type: 'all' };
    }
    default:
      return { type: 'all' };
  }
}
