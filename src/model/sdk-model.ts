import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ToolDefinition } from '../transcript.ts';
import { AnswerWatch } from './answer-watch.ts';
import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts';
import { type FailureContext, toModelError } from './provider-failure.ts';
import { normaliseSchema } from './schema/normalise-schema.ts';
import type { SchemaStrategy } from './schema/strategies.ts';
import { AnswerAssembly } from './sdk-answer.ts';
import { readSdkFailure } from './sdk-failure.ts';
import { endOf, type Finish } from './sdk-finish.ts';
import { toSdkPrompt } from './sdk-prompt.ts';
import { WrittenThoughts } from './written-thoughts.ts';

export interface SdkModelDependencies {
  readonly label: string;
  readonly seesImages: boolean;
  /** The model as its provider's package makes it: one HTTP request for each call, and no retry. */
  readonly model: LanguageModelV4;
  /** Under which name the provider files its own data. */
  readonly providerKey: string;
  /** The provider's own settings for every call. */
  readonly providerOptions?: SharedV4ProviderOptions;
  /** Marks what is worth caching, for a provider that caches on request. */
  readonly cacheMark?: SharedV4ProviderOptions;
  /** It may write its thoughts at the beginning of its text. */
  readonly writesThoughts?: boolean;
  readonly maxOutputTokens?: number;
  /** How hard it thinks, in the words of the AI SDK. */
  readonly reasoning?: NonNullable<LanguageModelV4CallOptions['reasoning']>;
  /** What the provider takes of the tools' schemas. */
  readonly schemaStrategy: SchemaStrategy;
  readonly failures: FailureContext;
  /** How long it may say nothing before it is given up, in milliseconds. */
  readonly longestSilence: number;
  readonly clock: Clock;
}

/**
 * A model behind a package of the AI SDK. The package's own stream is read, without `streamText`: that is made to run a
 * loop with tools, and does the work twice over for the one call of a turn.
 */
export function sdkModel(dependencies: SdkModelDependencies): LanguageModel {
  const { label, seesImages, model, providerKey, failures, longestSilence, clock } = dependencies;
  const tools = new SdkTools(dependencies.schemaStrategy);
  return {
    label,
    seesImages,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      if (request.signal.aborted) return;
      const assembly = new AnswerAssembly(providerKey);
      const { modelKey } = failures;
      const watch = new AnswerWatch({ modelKey, longestSilence, clock, wanted: request.signal });
      const thoughts = dependencies.writesThoughts ? new WrittenThoughts() : undefined;
      let end: Finish | undefined;
      try {
        watch.listen();
        const { stream } = await model.doStream(callOptions(request, watch.signal, { ...dependencies, tools }));
        for await (const part of stream) {
          watch.hear(part);
          if (part.type === 'finish') end = part;
          for (const piece of thoughts === undefined ? [part] : thoughts.take(part)) {
            const event = take(piece, assembly);
            if (event !== undefined) yield event;
          }
          watch.listen();
        }
        if (request.signal.aborted) return;
        // A package may take an aborted request for one that has ended.
        if (watch.failure !== undefined) throw watch.failure;
        yield* endOf(end, assembly, failures);
      } catch (error) {
        if (request.signal.aborted) return;
        throw watch.failure ?? inWords(error, failures, clock);
      } finally {
        watch.end();
      }
    },
  };
}

function callOptions(
  request: ModelRequest,
  abortSignal: AbortSignal,
  dependencies: SdkModelDependencies & { readonly tools: SdkTools },
): LanguageModelV4CallOptions {
  const { providerOptions, maxOutputTokens, reasoning, tools } = dependencies;
  return {
    prompt: toSdkPrompt(request, dependencies),
    ...(request.tools.length === 0
      ? {}
      : { tools: request.tools.map((tool) => tools.of(tool)), toolChoice: { type: 'auto' } }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    abortSignal,
  };
}

type SdkTool = Extract<NonNullable<LanguageModelV4CallOptions['tools']>[number], { type: 'function' }>;

/** Tools as the provider takes them. The schema of a definition is normalised once, and the same object from then on. */
class SdkTools {
  readonly #strategy: SchemaStrategy;
  readonly #schemas = new WeakMap<JsonObject, SdkTool['inputSchema']>();

  constructor(strategy: SchemaStrategy) {
    this.#strategy = strategy;
  }

  of({ name, description, parameters }: ToolDefinition): SdkTool {
    return { type: 'function', name, description, inputSchema: this.#schemaOf(parameters) };
  }

  #schemaOf(parameters: JsonObject): SdkTool['inputSchema'] {
    const known = this.#schemas.get(parameters);
    if (known !== undefined) return known;
    // A copy in the packages' own type. None of them changes it: what they send of it is the same each time.
    const schema: SdkTool['inputSchema'] = JSON.parse(JSON.stringify(normaliseSchema(parameters, this.#strategy)));
    this.#schemas.set(parameters, schema);
    return schema;
  }
}

function take(part: LanguageModelV4StreamPart, assembly: AnswerAssembly): ModelEvent | undefined {
  switch (part.type) {
    case 'error':
      throw part.error;
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-end':
    case 'tool-call':
      return assembly.take(part);
    case 'finish':
    case 'stream-start':
    case 'response-metadata':
    case 'ping':
    case 'raw':
    case 'source':
    case 'file':
    case 'reasoning-file':
    case 'custom':
    case 'tool-result':
    case 'tool-approval-request':
      return undefined;
  }
}

function inWords(error: unknown, failures: FailureContext, clock: Clock): unknown {
  if (error instanceof ModelError) return error;
  const failure = readSdkFailure(error, clock.now());
  // What is no fault of the provider or the network is ours, and must be seen as it is.
  return failure === undefined ? error : toModelError(failure, failures);
}
