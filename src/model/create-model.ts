import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Clock } from '../lib/clock.ts';
import { checkedFetch } from './checked-fetch.ts';
import { addressOf, checkHeaders } from './connection.ts';
import { describeModel } from './describe-model.ts';
import { type LanguageModel, ModelError } from './language-model.ts';
import type { SchemaStrategy } from './schema/strategies.ts';
import { sdkModel } from './sdk-model.ts';

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
}

/**
 * Makes the model, loading its provider's package and no other. Asks nothing of the network, and nothing of the
 * environment. Throws `ModelError` if the description lacks the API key or the address, or they cannot be used.
 */
export async function createModel(description: ModelDescription, clock: Clock): Promise<LanguageModel> {
  const { key, name, provider, apiKey, headers, maxOutputTokens } = description;
  const baseUrl = addressOf(description);
  if (apiKey === undefined && description.baseUrl === undefined) {
    throw new ModelError('auth', `The model '${key}' has no API key. Set models.${key}.api_key in the config.`);
  }
  checkHeaders(description);
  const connection = {
    apiKey: apiKey ?? '',
    baseURL: baseUrl,
    headers: { ...headers },
    fetch: checkedFetch({ modelKey: key, baseUrl, serverKind: serverKinds[provider] }),
  };
  return sdkModel({
    ...describeModel(description),
    ...(await load(provider, name, connection)),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(description.reasoning === undefined ? {} : { reasoning: description.reasoning }),
    schemaStrategy: description.schemaStrategy ?? strategies[provider],
    failures: {
      modelKey: key,
      modelName: name,
      baseUrl,
      secrets: [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers ?? {})],
    },
    longestSilence: (description.timeoutSecs ?? defaultTimeoutSecs) * 1000,
    clock,
  });
}

const defaultTimeoutSecs = 120;

/** What each provider takes of the tools' schemas. A compatible server may be anything. */
const strategies = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'gemini',
  openai_compatible: 'conservative',
} as const;

/** What must answer at a model's address. */
const serverKinds = {
  anthropic: 'server of the Anthropic API',
  openai: 'server of the OpenAI API',
  google: 'server of the Gemini API',
  openai_compatible: 'OpenAI-compatible server',
} as const;

/** All of this is given to the packages: what they are not given they look for in the environment. */
interface Connection {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
}

interface Loaded {
  readonly model: LanguageModelV4;
  readonly providerKey: string;
  readonly writesThoughts?: boolean;
  readonly providerOptions?: SharedV4ProviderOptions;
  readonly cacheMark?: SharedV4ProviderOptions;
}

async function load(provider: ModelProvider, name: string, connection: Connection): Promise<Loaded> {
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } };
      return { model: createAnthropic(connection)(name), providerKey: 'anthropic', cacheMark };
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Otherwise the history is sent as references to what OpenAI keeps, and that it forgets after 30 days.
      const providerOptions = { openai: { store: false } };
      return { model: createOpenAI(connection)(name), providerKey: 'openai', providerOptions };
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return { model: createGoogle(connection)(name), providerKey: 'google' };
    }
    case 'openai_compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const create = createOpenAICompatible({ ...connection, name: 'openai_compatible', includeUsage: true });
      return { model: create(name), providerKey: 'openai_compatible', writesThoughts: true };
    }
  }
}
