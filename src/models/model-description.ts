import type { SchemaStrategy } from './schema.ts';

/** How hard a model thinks before it answers; mapped to the nearest setting of its provider. */
export type ReasoningEffort = 'none' | 'low' | 'medium' | 'high';

export type ModelProvider = 'anthropic' | 'openai' | 'google' | 'openai_compatible';

/** A model as the config describes it. */
export interface ModelDescription {
  /** The key in the config: `main`. */
  readonly key: string;
  readonly provider: ModelProvider;
  /** The provider's name for the model. */
  readonly name: string;
  readonly apiKey?: string;
  /** The address including the version: `http://127.0.0.1:11434/v1`. Required only for `openai_compatible`. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxOutputTokens?: number;
  /** Whether it accepts pictures. Default: false for `openai_compatible`, otherwise true. */
  readonly seesImages?: boolean;
  /** `text`: calls tools in the text of its answers, for models without function calling. Default: `native`. */
  readonly toolCalls?: 'native' | 'text';
  /** The part of JSON Schema it accepts. Default: that of its provider. */
  readonly schemaStrategy?: SchemaStrategy;
  /** Default: the provider's. */
  readonly reasoning?: ReasoningEffort;
  /** The longest silence before the request is aborted, in seconds. Default: 120. Beyond 280, Node gives up first. */
  readonly timeoutSecs?: number;
  /** The keys of its fallbacks, in order. */
  readonly fallback?: readonly string[];
}

/** The properties that are known before the model is opened. */
export function describeModel({ key, name, provider, seesImages }: ModelDescription) {
  return { label: `${key} (${name})`, seesImages: seesImages ?? provider !== 'openai_compatible' };
}

/** The names of models and, recursively, their fallbacks: each once, nearest first. */
export function withFallbacks(
  names: readonly string[],
  fallbacksOf: (name: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set(names);
  for (const member of found) for (const next of fallbacksOf(member)) found.add(next);
  return found;
}
