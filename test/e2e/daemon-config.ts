import type { ModelServer } from '../support/model-server.ts';

export const modelKey = 'sk-test-model-key-0123456789';

/** The environment that the config below reads. */
export const modelEnvironment = { TEST_MODEL_KEY: modelKey } as const;

export interface ConfigParts {
  readonly model: ModelServer;
  readonly owners: readonly string[];
  readonly channels: Readonly<Record<string, unknown>>;
  /** Stands beside all that, or in its place. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A config with a model over real HTTP and the channels of a test. */
export function daemonConfig({ model, owners, channels, config = {} }: ConfigParts): Record<string, unknown> {
  const api_key = variable('TEST_MODEL_KEY');
  return {
    owners,
    model: 'main',
    models: { main: { provider: 'openai_compatible', name: 'test', base_url: model.url, api_key } },
    channels,
    delivery: { ambiguous_retry_after_ms: 200 },
    ...config,
  };
}

/** What the config says instead of a value that stands in the environment. */
export function variable(name: string): string {
  return `\${${name}}`;
}
