import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts';
import { type FailureContext, modelErrorOf } from './provider-failure.ts';
import { normaliseSchema, type SchemaStrategy } from './schema.ts';
import { createAssembly, endOf, type Finish } from './sdk-answer.ts';
import { marked, toSdkPrompt, withFittingThoughts } from './sdk-prompt.ts';
import { writtenThoughts } from './written-thoughts.ts';

export interface SdkModelSettings {
  readonly label: string;
  readonly seesImages: boolean;
  /** The model as its provider's package makes it: one HTTP request for each call, and no retry. */
  readonly model: LanguageModelV4;
  /** Under which name the provider files its own data. */
  readonly providerKey: string;
  /** The provider's own settings for every call. */
  readonly providerOptions?: SharedV4ProviderOptions | undefined;
  /** Marks what is worth caching, for a provider that caches on request. */
  readonly cacheMark?: SharedV4ProviderOptions | undefined;
  /** It may write its thoughts at the beginning of its text. */
  readonly writesThoughts?: boolean | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** How hard it thinks, in the words of the AI SDK. */
  readonly reasoning?: LanguageModelV4CallOptions['reasoning'] | undefined;
  /** What the provider takes of the tools' schemas. */
  readonly schemaStrategy: SchemaStrategy;
  readonly failures: FailureContext;
  /** How long it may say nothing before it is given up, in milliseconds. */
  readonly longestSilence: number;
}

/**
 * A model behind a package of the AI SDK. The package's own stream is read, without `streamText`: that is made to run a
 * loop with tools, and does the work twice over for the one call of a turn.
 */
export function sdkModel(settings: SdkModelSettings, clock: Clock): LanguageModel {
  const { label, seesImages, model, providerKey, failures, maxOutputTokens, providerOptions } = settings;
  const schemaOf = normalisedOnce(settings.schemaStrategy);
  return {
    label,
    seesImages,
    async *stream(asked: ModelRequest): AsyncGenerator<ModelEvent> {
      const { signal } = asked;
      if (signal.aborted) return;
      const assembly = createAssembly(providerKey);
      const watch = watchAnswer(settings, clock, signal);
      const thoughts = settings.writesThoughts ? writtenThoughts() : undefined;
      const { request, reasoning, mark } = withFittingThoughts(asked, {
        providerKey,
        name: failures.modelName,
        reasoning: settings.reasoning,
      });
      const tools = request.tools.map(
        ({ name, description, parameters }) =>
          ({ type: 'function', name, description, inputSchema: schemaOf(parameters) }) as const,
      );
      const options: LanguageModelV4CallOptions = {
        prompt: toSdkPrompt(request, settings),
        ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } }),
        ...{ maxOutputTokens, reasoning, providerOptions },
        abortSignal: watch.signal,
      };
      let end: Finish | undefined;
      try {
        watch.listen();
        const { stream } = await model.doStream(options);
        for await (const part of stream) {
          watch.hear(part);
          if (part.type === 'finish') end = part;
          for (const piece of thoughts?.(part) ?? [part]) {
            const event = assembly.take(piece);
            if (event !== undefined) yield event;
          }
          watch.listen();
        }
        if (signal.aborted) return;
        // A package may take an aborted request for one that has ended.
        if (watch.failure() !== undefined) throw watch.failure();
        for (const event of endOf(end, assembly, failures)) yield marked(event, mark);
      } catch (error) {
        if (signal.aborted) return;
        if (watch.failure() !== undefined || error instanceof ModelError) throw watch.failure() ?? error;
        // What is no fault of the provider or the network is ours, and must be seen as it is.
        throw modelErrorOf(error, failures, clock.now()) ?? error;
      } finally {
        watch.end();
      }
    },
  };
}

type InputSchema = Extract<
  NonNullable<LanguageModelV4CallOptions['tools']>[number],
  { type: 'function' }
>['inputSchema'];

/** The schema of a definition is normalised once, and is the same object from then on. */
function normalisedOnce(strategy: SchemaStrategy): (parameters: JsonObject) => InputSchema {
  const schemas = new WeakMap<JsonObject, InputSchema>();
  return (parameters) => {
    // A copy in the packages' own type. None of them changes it: what they send of it is the same each time.
    const schema: InputSchema =
      schemas.get(parameters) ?? JSON.parse(JSON.stringify(normaliseSchema(parameters, strategy)));
    schemas.set(parameters, schema);
    return schema;
  };
}

/** Watches over one answer: aborts the request if the model falls silent, or does not stop. */
function watchAnswer(settings: SdkModelSettings, clock: Clock, wanted: AbortSignal) {
  const controller = new AbortController();
  let stopTimer: () => void = () => undefined;
  let failure: ModelError | undefined;
  let length = 0;
  /** How much of a call's arguments was counted while it was written. */
  const counted = new Map<string, number>();

  /** From now on the model is waited for. What is done with an answer in between is no silence of the model's. */
  function listen(): void {
    const { longestSilence, failures } = settings;
    const advice = `Try again in a moment; if it only thinks for long, raise models.${failures.modelKey}.timeout_secs in the config.`;
    const words = `The model '${failures.modelKey}' has not said anything for ${longestSilence / 1000} seconds. ${advice}`;
    end();
    stopTimer = clock.after(longestSilence, () => abort(new ModelError('transient', words)));
  }

  /** The model said something. Throws `ModelError` if that makes the answer too long. */
  function hear(part: LanguageModelV4StreamPart): void {
    end();
    length += lengthOf(part);
    if (length <= longestAnswer) return;
    const advice = 'Ask for less at a time, or set max_output_tokens for the model in the config.';
    const words = `The model did not stop writing; its answer was cut off after 1,000,000 characters. ${advice}`;
    throw abort(new ModelError('permanent', words));
  }

  /** Nothing is waited for. Must be called in the end. */
  function end(): void {
    stopTimer();
  }

  function abort(why: ModelError): ModelError {
    failure = why;
    controller.abort(why);
    return why;
  }

  function lengthOf(part: LanguageModelV4StreamPart): number {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.delta.length;
    if (part.type === 'tool-input-delta') {
      counted.set(part.id, (counted.get(part.id) ?? 0) + part.delta.length);
      return part.delta.length;
    }
    // Some providers send a call in one piece.
    return part.type === 'tool-call' ? Math.max(0, part.input.length - (counted.get(part.toolCallId) ?? 0)) : 0;
  }

  return {
    /** What the request is made with. */
    signal: AbortSignal.any([wanted, controller.signal]),
    /** Why the request was aborted from here, if it was. */
    failure: () => failure,
    listen,
    hear,
    end,
  };
}

/** In characters of text, thoughts and arguments. No model that works writes so much in one answer. */
const longestAnswer = 1_000_000;
