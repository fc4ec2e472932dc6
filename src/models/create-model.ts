import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts';
import { describeModel, type ModelDescription, type ModelProvider } from './model-description.ts';
import { modelErrorOf } from './provider-failure.ts';
import { normaliseSchema, type SchemaStrategy } from './schema.ts';
import { createAssembly, endOf, type Finish } from './sdk-answer.ts';
import { marked, toSdkPrompt, withFittingThoughts } from './sdk-prompt.ts';
import { writtenThoughts } from './written-thoughts.ts';

/**
 * Makes the model, loading its provider's package and no other. Asks nothing of the network, and nothing of the
 * environment. Throws `ModelError` if HTTP cannot carry the API key. The package's own stream is read, without `streamText`:
 * that is made to run a loop with tools, and does the work twice over for the one call of a turn.
 */
export async function createModel(description: ModelDescription, clock: Clock): Promise<LanguageModel> {
  const { key, name, provider: providerKey, apiKey, headers = {}, maxOutputTokens } = description;
  const { providerOptions, cacheMark, ...provider } = providers[providerKey];
  // Only a compatible server has no address of its own, and the config names it.
  const baseUrl = description.baseUrl ?? provider.address ?? '';
  // What stands in the config has been looked at; what stands in the environment has not.
  if (apiKey !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(apiKey)) {
    const fault = 'holds a line break or another character that HTTP cannot carry';
    const advice = `Correct models.${key}.api_key in the config, or the variable that it names.`;
    throw new ModelError('auth', `The API key of the model '${key}' ${fault}. ${advice}`);
  }
  const model = await provider.load(name, {
    apiKey: apiKey ?? '',
    baseURL: baseUrl,
    headers: { ...headers },
    fetch: checkedFetch(key, baseUrl, provider.serverKind),
  });
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)];
  const failures = { modelKey: key, modelName: name, baseUrl, secrets };
  const schemaOf = normalisedOnce(description.schemaStrategy ?? provider.schemaStrategy);

  async function* stream(asked: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = asked;
    if (signal.aborted) return;
    const assembly = createAssembly(providerKey);
    const watch = watchAnswer(description, clock, signal);
    // A compatible server may leave thoughts at the beginning of the text.
    const thoughts = providerKey === 'openai_compatible' ? writtenThoughts() : undefined;
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
  }

  return { ...describeModel(description), stream };
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
function watchAnswer({ key, timeoutSecs = defaultTimeoutSecs }: ModelDescription, clock: Clock, wanted: AbortSignal) {
  const controller = new AbortController();
  let stopTimer: () => void = () => undefined;
  let failure: ModelError | undefined;
  let length = 0;
  /** How much of a call's arguments was counted while it was written. */
  const counted = new Map<string, number>();

  /** From now on the model is waited for. What is done with an answer in between is no silence of the model's. */
  function listen(): void {
    const advice = `Try again in a moment; if it only thinks for long, raise models.${key}.timeout_secs in the config.`;
    const words = `The model '${key}' has not said anything for ${timeoutSecs} seconds. ${advice}`;
    end();
    stopTimer = clock.after(timeoutSecs * 1000, () => abort(new ModelError('transient', words)));
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

const defaultTimeoutSecs = 120;

/** All of this is given to the packages: what they are not given they look for in the environment. */
interface Connection {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
}

interface Provider {
  /** Where its models are, if they are all in one place. */
  readonly address?: string;
  /** What must answer there. */
  readonly serverKind: string;
  readonly schemaStrategy: SchemaStrategy;
  /** The provider's own settings for every call. */
  readonly providerOptions?: SharedV4ProviderOptions;
  /** Marks what is worth caching, for a provider that caches on request. */
  readonly cacheMark?: SharedV4ProviderOptions;
  /** One HTTP request for each call, and no retry. */
  readonly load: (name: string, connection: Connection) => Promise<LanguageModelV4>;
}

const providers: Readonly<Record<ModelProvider, Provider>> = {
  anthropic: {
    address: 'https://api.anthropic.com/v1',
    serverKind: 'server of the Anthropic API',
    schemaStrategy: 'anthropic',
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    load: async (name, connection) => (await import('@ai-sdk/anthropic')).createAnthropic(connection)(name),
  },
  openai: {
    address: 'https://api.openai.com/v1',
    serverKind: 'server of the OpenAI API',
    schemaStrategy: 'openai',
    // Otherwise the history is sent as references to what OpenAI keeps, and that it forgets after 30 days.
    providerOptions: { openai: { store: false } },
    load: async (name, connection) => (await import('@ai-sdk/openai')).createOpenAI(connection)(name),
  },
  google: {
    address: 'https://generativelanguage.googleapis.com/v1beta',
    serverKind: 'server of the Gemini API',
    schemaStrategy: 'gemini',
    load: async (name, connection) => (await import('@ai-sdk/google')).createGoogle(connection)(name),
  },
  // A compatible server may be anything, anywhere.
  openai_compatible: {
    serverKind: 'OpenAI-compatible server',
    schemaStrategy: 'conservative',
    async load(name, connection) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({ ...connection, name: 'openai_compatible', includeUsage: true })(name);
    },
  },
};

/**
 * A `fetch` for answers that are streamed as server-sent events. Throws an `unavailable` `ModelError` where something else
 * answers well: a web page, a whole document of JSON, a redirect. A redirect is not followed, since it would take the
 * conversation to a place that the operator did not name. Errors of the server pass.
 */
function checkedFetch(modelKey: string, baseUrl: string, serverKind: string): typeof fetch {
  const refuse = (what: string): ModelError => {
    const advice = `Check models.${modelKey}.base_url in the config.`;
    return new ModelError('unavailable', `What answers at ${baseUrl} is no ${serverKind} (it ${what}). ${advice}`);
  };
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (isRedirect(response)) {
      await response.body?.cancel();
      throw refuse(`redirects to ${targetOf(response, baseUrl)}`);
    }
    const kind = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    if (!response.ok || response.body === null || kind === 'text/event-stream') return response;

    // A careless server may give its stream another name: its beginning tells.
    const { beginning, body } = await peek(response.body);
    if (beginning === '' || field.test(beginning)) return new Response(body, response);
    await body.cancel();
    throw refuse(`sent ${kind === '' ? 'no events' : kind}`);
  };
}

/** What a line of a stream of events begins with. */
const field = /^(?:data|event|id|retry)?:/;

function isRedirect({ status }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Without a query: it may hold a secret. */
function targetOf(response: Response, baseUrl: string): string {
  const location = response.headers.get('location');
  const target = location === null ? null : URL.parse(location, response.url || baseUrl);
  return target === null ? 'another place' : `${target.origin}${target.pathname}`;
}

/** The beginning of the source, at least as long as a field's name if the source is, and a body with all of it. */
async function peek(source: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let text = '';
  while (text.trimStart().length < longestField && text.length < mostBlanks) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    text += decoder.decode(value, { stream: true });
  }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const first = chunks.shift();
      if (first !== undefined) return controller.enqueue(first);
      const { done, value } = await reader.read();
      return done ? controller.close() : controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { beginning: text.trimStart(), body };
}

const longestField = 'event:'.length;
const mostBlanks = 10_000;
