import type { SchemaStrategy } from './schema.ts';

/** How hard a model thinks before it answers: what its provider has of this, or the nearest to it. */
export type ReasoningEffort = 'none' | 'low' | 'medium' | 'high';

export type ModelProvider = 'anthropic' | 'openai' | 'google' | 'openai_compatible';

/** A model as the config describes it. */
export interface ModelDescription {
  /** Its key in the config: `main`. */
  readonly key: string;
  readonly provider: ModelProvider;
  /** The provider's name for it. */
  readonly name: string;
  readonly apiKey?: string;
  /** Where it is, up to and with the version: `http://127.0.0.1:11434/v1`. Needed for `openai_compatible` only. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxOutputTokens?: number;
  /** Whether it sees pictures. Default: true, but false for `openai_compatible`. */
  readonly seesImages?: boolean;
  /** How it calls tools. `text`: in the text of its answers, since it has no function calling. Default: `native`. */
  readonly toolCalls?: 'native' | 'text';
  /** What it takes of the tools' schemas. Default: what its provider takes. */
  readonly schemaStrategy?: SchemaStrategy;
  /** How hard it thinks. Default: what the provider does by itself. */
  readonly reasoning?: ReasoningEffort;
  /** How long it may say nothing before it is given up, in seconds. Default: 120. Beyond 280, Node gives up first. */
  readonly timeoutSecs?: number;
  /** The keys of those that are asked in its place, in their order. */
  readonly fallback?: readonly string[];
}

/** How the operator calls a model, and whether it sees pictures: what is known before it is opened. */
export function describeModel({ key, name, provider, seesImages }: ModelDescription) {
  return { label: `${key} (${name})`, seesImages: seesImages ?? provider !== 'openai_compatible' };
}

/** The names of models, and of all that stand in for them in turn: each once, the nearest first. */
export function withFallbacks(
  names: readonly string[],
  fallbacksOf: (name: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set(names);
  for (const member of found) for (const next of fallbacksOf(member)) found.add(next);
  return found;
}
