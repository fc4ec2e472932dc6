import type { Clock } from '../lib/clock.ts';
import { type LanguageModel, ModelError } from './language-model.ts';
import { describeModel, type ModelDescription, type ModelProvider } from './model-description.ts';
import type { SchemaStrategy } from './schema.ts';
import { type SdkModelSettings, sdkModel } from './sdk-model.ts';

/**
 * Makes the model, loading its provider's package and no other. Asks nothing of the network, and nothing of the
 * environment. Throws `ModelError` if HTTP cannot carry the API key.
 */
export async function createModel(description: ModelDescription, clock: Clock): Promise<LanguageModel> {
  const { key, name, apiKey, headers = {} } = description;
  const provider = providers[description.provider];
  // Only a compatible server has no address of its own, and the config names it.
  const baseUrl = description.baseUrl ?? provider.address ?? '';
  // What stands in the config has been looked at; what stands in the environment has not.
  if (apiKey !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(apiKey)) {
    const fault = 'holds a line break or another character that HTTP cannot carry';
    const advice = `Correct models.${key}.api_key in the config, or the variable that it names.`;
    throw new ModelError('auth', `The API key of the model '${key}' ${fault}. ${advice}`);
  }
  const loaded = await provider.load(name, {
    apiKey: apiKey ?? '',
    baseURL: baseUrl,
    headers: { ...headers },
    fetch: checkedFetch(key, baseUrl, provider.serverKind),
  });
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)];
  const settings = {
    ...describeModel(description),
    ...loaded,
    maxOutputTokens: description.maxOutputTokens,
    reasoning: description.reasoning,
    schemaStrategy: description.schemaStrategy ?? provider.schemaStrategy,
    failures: { modelKey: key, modelName: name, baseUrl, secrets },
    longestSilence: (description.timeoutSecs ?? defaultTimeoutSecs) * 1000,
  };
  return sdkModel(settings, clock);
}

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
  readonly load: (
    name: string,
    connection: Connection,
  ) => Promise<Pick<SdkModelSettings, 'model' | 'providerKey' | 'writesThoughts' | 'providerOptions' | 'cacheMark'>>;
}

const providers: Readonly<Record<ModelProvider, Provider>> = {
  anthropic: {
    address: 'https://api.anthropic.com/v1',
    serverKind: 'server of the Anthropic API',
    schemaStrategy: 'anthropic',
    async load(name, connection) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } };
      return { model: createAnthropic(connection)(name), providerKey: 'anthropic', cacheMark };
    },
  },
  openai: {
    address: 'https://api.openai.com/v1',
    serverKind: 'server of the OpenAI API',
    schemaStrategy: 'openai',
    async load(name, connection) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Otherwise the history is sent as references to what OpenAI keeps, and that it forgets after 30 days.
      const providerOptions = { openai: { store: false } };
      return { model: createOpenAI(connection)(name), providerKey: 'openai', providerOptions };
    },
  },
  google: {
    address: 'https://generativelanguage.googleapis.com/v1beta',
    serverKind: 'server of the Gemini API',
    schemaStrategy: 'gemini',
    async load(name, connection) {
      const { createGoogle } = await import('@ai-sdk/google');
      return { model: createGoogle(connection)(name), providerKey: 'google' };
    },
  },
  // A compatible server may be anything, anywhere.
  openai_compatible: {
    serverKind: 'OpenAI-compatible server',
    schemaStrategy: 'conservative',
    async load(name, connection) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const create = createOpenAICompatible({ ...connection, name: 'openai_compatible', includeUsage: true });
      return { model: create(name), providerKey: 'openai_compatible', writesThoughts: true };
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
