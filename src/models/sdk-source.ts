import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Network } from '../lib/network/network.ts';
import type { ToolDefinition } from '../transcript.ts';
import type { AnswerPiece, AnswerSource, SourceParts } from './answer-source.ts';
import type { FailureContext } from './fault-table.ts';
import { withFittingThoughts } from './fitting-thoughts.ts';
import type { Dialect } from './foreign-forms/dialect.ts';
import { type BodyFault, inOwnForm } from './foreign-forms/foreign-forms.ts';
import { ModelError, type ModelProvider } from './language-model.ts';
import { bodyFailure, foreignServer } from './provider-failure.ts';
import { normaliseSchema, type SchemaStrategy } from './schema.ts';
import { modelErrorOf } from './sdk-failure.ts';
import { toSdkPrompt } from './sdk-prompt.ts';

/** The providers with packages of their own. */
export type PackagedProvider = Exclude<ModelProvider, 'openai_compatible'>;

/**
 * The servers of a provider by its package, of which none other is loaded. Reads the package's own stream instead of
 * `streamText`, which is made for a loop with tools and costs twice the work for a single call.
 */
export async function sdkSource(providerKey: PackagedProvider, parts: SourceParts): Promise<AnswerSource> {
  const { description, baseUrl, schemaStrategy, failures, clock, network } = parts;
  const { name, apiKey = '', headers = {}, maxOutputTokens, reasoning: effort } = description;
  const { providerOptions, cacheMark, ...provider } = providers[providerKey];
  const dialect = await provider.dialect();
  const { fetch, failureOf } = checkedFetch({ dialect, failures, clock, fetch: network.fetch });
  const model = await provider.load(name, { apiKey, baseURL: baseUrl, headers: { ...headers }, fetch });
  const schemaOf = normalisedOnce(schemaStrategy);
  const told = { maxOutputTokens, providerOptions } as const;
  return {
    ask: (asked, abortSignal) => {
      const { request, reasoning, mark } = withFittingThoughts(asked, { providerKey, name, reasoning: effort });
      const prompt = toSdkPrompt(request, { providerKey, cacheMark });
      const options = { ...told, prompt, ...toolsOf(request.tools, schemaOf), reasoning, abortSignal };
      return { pieces: piecesOf(model, options, { failures, clock, failureOf }), thinker: mark };
    },
  };
}

type Schemas = (parameters: JsonObject) => InputSchema;

function toolsOf(definitions: readonly ToolDefinition[], schemaOf: Schemas) {
  const tools = definitions.map(
    ({ name, description, parameters }) =>
      ({ type: 'function', name, description, inputSchema: schemaOf(parameters) }) as const,
  );
  return tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } as const };
}

interface Reading {
  readonly failures: FailureContext;
  readonly clock: Clock;
  /** What the answer to the request with this signal ended with. */
  readonly failureOf: (signal: AbortSignal) => ModelError | undefined;
}

async function* piecesOf(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { readonly abortSignal: AbortSignal },
  { failures, clock, failureOf }: Reading,
): AsyncGenerator<AnswerPiece> {
  try {
    const { stream } = await model.doStream(options);
    for await (const piece of stream) {
      if (piece.type === 'error') throw piece.error;
      yield piece;
    }
  } catch (error) {
    const failure = failureOf(options.abortSignal);
    if (failure !== undefined) throw failure;
    // Anything that is not a fault of the provider or the network is a bug, and must stay visible.
    throw error instanceof ModelError ? error : (modelErrorOf(error, failures, clock.now()) ?? error);
  }
  // A package may report a body that broke off as one that has ended.
  const failure = failureOf(options.abortSignal);
  if (failure !== undefined) throw failure;
}

type InputSchema = LanguageModelV4FunctionTool['inputSchema'];

/** Normalises each schema once; returns the same object from then on. */
function normalisedOnce(strategy: SchemaStrategy): Schemas {
  const schemas = new WeakMap<JsonObject, InputSchema>();
  return (parameters) => {
    // A copy in the packages' own type. None of them changes it, so each request sends the same bytes.
    const schema: InputSchema =
      schemas.get(parameters) ?? JSON.parse(JSON.stringify(normaliseSchema(parameters, strategy)));
    schemas.set(parameters, schema);
    return schema;
  };
}

/** Complete, because the packages read what is missing from the environment. */
interface Connection {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
}

interface Provider {
  /** Reads the forms that servers of it send. */
  readonly dialect: () => Promise<() => Dialect>;
  /** The provider's own settings for each call. */
  readonly providerOptions?: SharedV4ProviderOptions;
  /** Marks what to cache, for providers that cache on request. */
  readonly cacheMark?: SharedV4ProviderOptions;
  /** One HTTP request per call, without retries. */
  readonly load: (name: string, connection: Connection) => Promise<LanguageModelV4>;
}

const providers: Readonly<Record<PackagedProvider, Provider>> = {
  anthropic: {
    dialect: async () => (await import('./foreign-forms/messages-api.ts')).messagesApi,
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    load: async (name, connection) => (await import('@ai-sdk/anthropic')).createAnthropic(connection)(name),
  },
  openai: {
    dialect: async () => (await import('./foreign-forms/responses-api.ts')).responsesApi,
    // Otherwise the history is sent as references to data that OpenAI deletes after 30 days.
    providerOptions: { openai: { store: false } },
    load: async (name, connection) => (await import('@ai-sdk/openai')).createOpenAI(connection)(name),
  },
  google: {
    dialect: async () => (await import('./foreign-forms/generate-content.ts')).generateContent,
    load: async (name, connection) => (await import('@ai-sdk/google')).createGoogle(connection)(name),
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
