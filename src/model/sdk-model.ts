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
import { cutNotice } from './cut-notice.ts';
import {
  type AnswerPart,
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
} from './language-model.ts';
import { type FailureContext, toModelError } from './provider-failure.ts';
import { normaliseSchema } from './schema/normalise-schema.ts';
import type { SchemaStrategy } from './schema/strategies.ts';
import { AnswerAssembly } from './sdk-answer.ts';
import { readSdkFailure } from './sdk-failure.ts';
import { toSdkPrompt } from './sdk-prompt.ts';

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
      let end: Finish | undefined;
      try {
        watch.listen();
        const { stream } = await model.doStream(callOptions(request, watch.signal, { ...dependencies, tools }));
        for await (const part of stream) {
          watch.hear(part);
          if (part.type === 'finish') end = part;
          const event = await take(part, assembly);
          if (event !== undefined) yield event;
          watch.listen();
        }
        if (request.signal.aborted) return;
        // A package may take an aborted request for one that has ended.
        if (watch.failure !== undefined) throw watch.failure;
        yield* endOf(toAnswer(end, assembly, failures), end);
      } catch (error) {
        if (request.signal.aborted) return;
        throw watch.failure ?? inWords(error, failures, clock);
      } finally {
        watch.end();
      }
    },
  };
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

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

type SdkTool = NonNullable<LanguageModelV4CallOptions['tools']>[number];

/** Tools as the provider takes them. The schema of a definition is normalised once. */
class SdkTools {
  readonly #strategy: SchemaStrategy;
  /** As text, which nobody can change. */
  readonly #schemas = new WeakMap<JsonObject, string>();

  constructor(strategy: SchemaStrategy) {
    this.#strategy = strategy;
  }

  of({ name, description, parameters }: ToolDefinition): SdkTool {
    const schema = this.#schemas.get(parameters) ?? JSON.stringify(normaliseSchema(parameters, this.#strategy));
    this.#schemas.set(parameters, schema);
    // A copy: the packages' types allow them to change what they are given.
    return { type: 'function', name, description, inputSchema: JSON.parse(schema) };
  }
}

async function take(part: LanguageModelV4StreamPart, assembly: AnswerAssembly): Promise<ModelEvent | undefined> {
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

function toAnswer(end: Finish | undefined, assembly: AnswerAssembly, failures: FailureContext): ModelAnswer {
  const reason = end?.finishReason.unified ?? 'interrupted';
  const parts = assembly.parts(reason === 'length' || reason === 'content-filter');
  switch (reason) {
    case 'error':
    case 'interrupted':
      throw broken(end, failures);
    case 'other':
      if (parts.length === 0) throw broken(end, failures);
      break;
    case 'content-filter':
      if (parts.length === 0) throw filtered(failures);
      break;
    case 'stop':
    case 'length':
    case 'tool-calls':
      break;
  }
  return { parts, usage: usageOf(end) };
}

function usageOf(end: Finish | undefined): ModelUsage {
  const { inputTokens, outputTokens } = end?.usage ?? {};
  const cachedInputTokens = inputTokens?.cacheRead;
  return {
    inputTokens: inputTokens?.total ?? 0,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    outputTokens: outputTokens?.total ?? 0,
  };
}

function broken(end: Finish | undefined, failures: FailureContext): ModelError {
  const { fault, message } = toModelError({ type: 'broken-answer' }, failures);
  return new ModelError(fault, message, { usage: usageOf(end) });
}

/** The last events. Where the limit of tokens has cut a text, the person is told: it may look complete. */
function* endOf(answer: ModelAnswer, end: Finish | undefined): Generator<ModelEvent> {
  const last = answer.parts.at(-1);
  // Of a call that was cut, the model is told by the tool.
  if (end?.finishReason.unified !== 'length' || last?.type === 'call') return yield { type: 'finish', answer };
  const delta = last?.type === 'text' ? `\n\n${cutNotice}` : cutNotice;
  const parts: readonly AnswerPart[] =
    last?.type === 'text'
      ? [...answer.parts.slice(0, -1), { ...last, text: last.text + delta }]
      : [...answer.parts, { type: 'text', text: delta }];
  yield { type: 'text', delta };
  yield { type: 'finish', answer: { ...answer, parts } };
}

function filtered({ modelKey }: FailureContext): ModelError {
  return new ModelError(
    'permanent',
    `The provider of the model '${modelKey}' held the answer back for its content. Say it differently, or start anew with /new.`,
  );
}

function inWords(error: unknown, failures: FailureContext, clock: Clock): unknown {
  if (error instanceof ModelError) return error;
  const failure = readSdkFailure(error, clock.now());
  // What is no fault of the provider or the network is ours, and must be seen as it is.
  return failure === undefined ? error : toModelError(failure, failures);
}
