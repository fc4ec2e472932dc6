import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { directNetwork, type Network } from '../lib/network/network.ts';
import type { InLanguage } from '../lib/words.ts';
import type { FailureContext } from './fault-table.ts';
import type { Dialect } from './foreign-forms/dialect.ts';
import { type BodyFault, inOwnForm } from './foreign-forms/foreign-forms.ts';
import {
  describeModel,
  type LanguageModel,
  type ModelDescription,
  ModelError,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from './language-model.ts';
import { bodyFailure, endlessAnswer, foreignServer, modelErrorOf } from './provider-failure.ts';
import { normaliseSchema, type SchemaStrategy } from './schema.ts';
import { createAssembly, endOf, type Finish } from './sdk-answer.ts';
import { marked, toSdkPrompt, withFittingThoughts } from './sdk-prompt.ts';
import { modelWords, type ServerKind } from './words.ts';
import { createWrittenThoughts } from './written-thoughts.ts';

/**
 * Makes the model, loading only its provider's package. Makes no request and reads no environment variable. Throws
 * `ModelError` if the API key cannot be sent in an HTTP header. Reads the package's own stream instead of `streamText`,
 * which is made for a loop with tools and costs twice the work for a single call.
 */
export async function createModel(
  description: ModelDescription,
  clock: Clock,
  network: Network = directNetwork,
): Promise<LanguageModel> {
  const { key, name, provider: providerKey, apiKey = '', headers = {}, maxOutputTokens } = description;
  const { providerOptions, cacheMark, ...provider } = providers[providerKey];
  // Only a compatible server has no fixed address; the config names it.
  const baseUrl = description.baseUrl ?? provider.address ?? '';
  // The config has been validated; the environment has not.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(apiKey))
    throw new ModelError('auth', (language) => modelWords[language].keyUnsendable({ modelKey: key }));
  const secrets = [apiKey, ...Object.values(headers)];
  const failures = { modelKey: key, modelName: name, baseUrl, secrets, serverKind: provider.serverKind };
  const dialect = await provider.dialect();
  const { fetch, failureOf } = checkedFetch({ dialect, failures, clock, fetch: network.fetch });
  const model = await provider.load(name, { apiKey, baseURL: baseUrl, headers: { ...headers }, fetch });
  // Only the servers of the providers themselves leave no thoughts in the text.
  const writtenThoughts = description.baseUrl === undefined ? undefined : createWrittenThoughts();
  const schemaOf = normalisedOnce(description.schemaStrategy ?? provider.schemaStrategy);

  async function* stream(asked: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = asked;
    if (signal.aborted) return;
    const assembly = createAssembly(providerKey);
    const thoughts = writtenThoughts?.();
    const thinking = { providerKey, name, reasoning: description.reasoning };
    const { request, reasoning, mark } = withFittingThoughts(asked, thinking);
    const tools = request.tools.map(
      ({ name, description, parameters }) =>
        ({ type: 'function', name, description, inputSchema: schemaOf(parameters) }) as const,
    );
    const options: LanguageModelV4CallOptions = {
      prompt: toSdkPrompt(request, { providerKey, cacheMark }),
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } }),
      ...{ maxOutputTokens, reasoning, providerOptions },
    };
    let end: Finish | undefined;
    const watching = { description, clock, failureOf };
    try {
      for await (const part of watched(model, { ...options, abortSignal: signal }, watching)) {
        if (part.type === 'finish') end = part;
        for (const piece of thoughts?.(part) ?? [part]) {
          if (piece.type === 'text-withdrawn') assembly.withdraw();
          const event = piece.type === 'text-withdrawn' ? piece : assembly.take(piece);
          if (event !== undefined) yield event;
        }
      }
      if (signal.aborted) return;
      for (const event of endOf(end, assembly, failures)) yield marked(event, mark);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ModelError) throw error;
      // Anything that is not a fault of the provider or the network is a bug, and must stay visible.
      throw modelErrorOf(error, failures, clock.now()) ?? error;
    }
  }

  return { ...describeModel(description), stream };
}

type InputSchema = LanguageModelV4FunctionTool['inputSchema'];

/** Normalises each schema once; returns the same object from then on. */
function normalisedOnce(strategy: SchemaStrategy): (parameters: JsonObject) => InputSchema {
  const schemas = new WeakMap<JsonObject, InputSchema>();
  return (parameters) => {
    // A copy in the packages' own type. None of them changes it, so each request sends the same bytes.
    const schema: InputSchema =
      schemas.get(parameters) ?? JSON.parse(JSON.stringify(normaliseSchema(parameters, strategy)));
    schemas.set(parameters, schema);
    return schema;
  };
}

interface Watching {
  readonly description: ModelDescription;
  readonly clock: Clock;
  /** What the answer to the request with this signal ended with. */
  readonly failureOf: (signal: AbortSignal) => ModelError | undefined;
}

/**
 * Streams the pieces of an answer. Aborts it, and throws `ModelError`, if the model stays silent or does not stop. Throws the
 * failure that the answer ended with.
 */
async function* watched(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { readonly abortSignal: AbortSignal },
  { description: { key, timeoutSecs = defaultTimeoutSecs }, clock, failureOf }: Watching,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const controller = new AbortController();
  let stopTimer: () => void = () => undefined;
  let failure: ModelError | undefined;
  let length = 0;

  /** Starts the timer for the next piece. The time that consumers spend with an answer does not count as silence. */
  function listen(): void {
    const words: InLanguage = (language) => modelWords[language].silent({ modelKey: key, seconds: timeoutSecs });
    stopTimer = clock.after(timeoutSecs * 1000, () => abort(new ModelError('transient', words)));
  }

  function abort(why: ModelError): void {
    failure = why;
    controller.abort(why);
  }

  // Of this request alone.
  const abortSignal = AbortSignal.any([options.abortSignal, controller.signal]);
  try {
    listen();
    const { stream } = await model.doStream({ ...options, abortSignal });
    for await (const part of stream) {
      stopTimer();
      if (part.type === 'error') throw part.error;
      if ('delta' in part) length += part.delta.length;
      if (length > longestAnswer) {
        abort(endlessAnswer());
        break;
      }
      yield part;
      listen();
    }
  } catch (error) {
    throw failure ?? failureOf(abortSignal) ?? error;
  } finally {
    stopTimer();
  }
  // A package may report an aborted request, or a body that broke off, as one that has ended.
  const ended = failure ?? failureOf(abortSignal);
  if (ended !== undefined) throw ended;
}

/** In characters of text, thoughts and arguments. No working model writes that much in one answer. */
const longestAnswer = 1_000_000;

const defaultTimeoutSecs = 120;

/** Complete, because the packages read what is missing from the environment. */
interface Connection {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
}

interface Provider {
  /** The fixed address of its API, if there is one. */
  readonly address?: string;
  /** The kind of server expected there. */
  readonly serverKind: ServerKind;
  /** Reads the forms that servers of it send. */
  readonly dialect: () => Promise<() => Dialect>;
  readonly schemaStrategy: SchemaStrategy;
  /** The provider's own settings for each call. */
  readonly providerOptions?: SharedV4ProviderOptions;
  /** Marks what to cache, for providers that cache on request. */
  readonly cacheMark?: SharedV4ProviderOptions;
  /** One HTTP request per call, without retries. */
  readonly load: (name: string, connection: Connection) => Promise<LanguageModelV4>;
}

const providers: Readonly<Record<ModelProvider, Provider>> = {
  anthropic: {
    address: 'https://api.anthropic.com/v1',
    serverKind: 'anthropic',
    dialect: async () => (await import('./foreign-forms/messages-api.ts')).messagesApi,
    schemaStrategy: 'anthropic',
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    load: async (name, connection) => (await import('@ai-sdk/anthropic')).createAnthropic(connection)(name),
  },
  openai: {
    address: 'https://api.openai.com/v1',
    serverKind: 'openai',
    dialect: async () => (await import('./foreign-forms/responses-api.ts')).responsesApi,
    schemaStrategy: 'openai',
    // Otherwise the history is sent as references to data that OpenAI deletes after 30 days.
    providerOptions: { openai: { store: false } },
    load: async (name, connection) => (await import('@ai-sdk/openai')).createOpenAI(connection)(name),
  },
  google: {
    address: 'https://generativelanguage.googleapis.com/v1beta',
    serverKind: 'gemini',
    dialect: async () => (await import('./foreign-forms/generate-content.ts')).generateContent,
    schemaStrategy: 'gemini',
    load: async (name, connection) => (await import('@ai-sdk/google')).createGoogle(connection)(name),
  },
  // A compatible server may be anything, anywhere.
  openai_compatible: {
    serverKind: 'compatible',
    dialect: async () => (await import('./foreign-forms/chat-completions.ts')).chatCompletions,
    schemaStrategy: 'conservative',
    async load(name, connection) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({ ...connection, name: 'openai_compatible', includeUsage: true })(name);
    },
  },
};

interface Checks {
  readonly dialect: () => Dialect;
  readonly failures: FailureContext;
  readonly clock: Clock;
  readonly fetch: Network['fetch'];
}

/**
 * A `fetch` whose answers are in the form that the provider's package reads, and the failure that the answer to a request ended
 * with, by the request's signal. A redirect is refused: it would send the conversation to a place that the operator did not
 * name. Error responses pass.
 */
function checkedFetch({ dialect, failures, clock, fetch }: Checks) {
  const ended = new WeakMap<AbortSignal, ModelError>();
  const checked: Network['fetch'] = async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if ([301, 302, 303, 307, 308].includes(response.status)) {
      await response.body?.cancel();
      throw foreignServer({ type: 'redirects', target: targetOf(response, failures.baseUrl) }, failures);
    }
    if (!response.ok || response.body === null) return response;
    const kind = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const signal = init?.signal ?? undefined;
    const failed = (fault: BodyFault): void => {
      if (signal !== undefined) ended.set(signal, bodyFailure(fault, kind, failures));
    };
    return new Response(inOwnForm(response.body, { dialect: dialect(), clock, signal, failed }), response);
  };
  return { fetch: checked, failureOf: (signal: AbortSignal) => ended.get(signal) };
}

/** Without the query, which may hold a secret. */
function targetOf(response: Response, baseUrl: string): string | undefined {
  const location = response.headers.get('location');
  const target = location === null ? null : URL.parse(location, response.url || baseUrl);
  return target === null ? undefined : `${target.origin}${target.pathname}`;
}
