import type { InLanguage } from '../lib/words.ts';
import { type ModelDescription, withFallbacks } from '../models/language-model.ts';
import type { ChosenModel } from '../models/open-models.ts';
import type { TranscriptionDescription } from '../models/transcriber.ts';
import { ConfigError, spellPath } from './config-error.ts';
import { offlineName } from './cross-checks.ts';
import type { Environment } from './environment.ts';
import type { ModelSettings } from './model-settings.ts';
import type { Config } from './schema.ts';
import { configWords, type WhyModel } from './words.ts';

export interface ModelsChoice {
  /** The model where no other is chosen. */
  readonly defaultName: string;
  /** All selectable models, the default first. */
  readonly models: ReadonlyMap<string, ChosenModel>;
  /** Why it is the default. */
  readonly why: WhyModel;
}

/**
 * The selectable models of a valid config. The default is the one that the config chooses, else its only one, else that
 * of the first provider with a key in the environment, else the offline model. A model without its key is left out.
 * Throws `ConfigError` if the default, the model of an agent or chat, or a fallback of one of these has no key.
 */
export function resolveModels(
  config: Pick<Config, 'model' | 'models'> & Partial<Pick<Config, 'agents' | 'chats'>>,
  environment: Environment,
): ModelsChoice {
  const { name: defaultName, model, why } = defaultModel(config, environment);
  const users = [...Object.values(config.agents ?? {}), ...Object.values(config.chats ?? {})];
  const named = users.flatMap(({ model: ownModel }) => ownModel ?? []);
  const needed = withFallbacks([defaultName, ...named], (name) => config.models[name]?.fallback ?? []);
  const offered = Object.entries(config.models)
    .filter(([name, settings]) => needed.has(name) || hasKey(settings, environment))
    .map(([name, settings]) => [name, toDescription(name, settings, environment)] as const);
  return { defaultName, models: new Map<string, ChosenModel>([[defaultName, model], ...offered]), why };
}

interface DefaultModel {
  readonly name: string;
  readonly model: ChosenModel;
  readonly why: WhyModel;
}

function defaultModel({ model, models }: Pick<Config, 'model' | 'models'>, environment: Environment): DefaultModel {
  const offline = { name: offlineName, model: { provider: offlineName } } as const;
  if (model === offlineName) return { ...offline, why: { because: 'offline' } };
  const name = model ?? Object.keys(models)[0] ?? '';
  const settings = models[name];
  if (settings !== undefined) {
    const because = model === undefined ? 'only' : 'chosen';
    return { name, model: toDescription(name, settings, environment), why: { because } };
  }
  for (const { provider, name } of providerDefaults) {
    const variable = variableIn(environment, provider);
    if (variable === undefined) continue;
    const model = { key: provider, provider, name, apiKey: environment[variable] };
    return { name: provider, model, why: { because: 'variable', variable } };
  }
  return { ...offline, why: { because: 'none' } };
}

const keyVariables = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  openai_compatible: [],
} as const;

/** The model of each provider where none is chosen, and the variables that may hold its key. In the order in which they are tried. */
export const providerDefaults = [
  { provider: 'anthropic', name: 'claude-sonnet-5-5', variables: keyVariables.anthropic },
  { provider: 'openai', name: 'gpt-6-astra', variables: keyVariables.openai },
  { provider: 'google', name: 'gemini-4-argon', variables: keyVariables.google },
] as const;

/** Throws `ConfigError` if the key is missing. */
function toDescription(key: string, settings: ModelSettings, environment: Environment): ModelDescription {
  if (!hasKey(settings, environment))
    throw unusable(['models', key, 'api_key'], noKey(keyVariables[settings.provider]));
  const variable = variableIn(environment, settings.provider);
  return {
    key,
    provider: settings.provider,
    name: settings.name,
    apiKey: settings.api_key ?? (variable && environment[variable]),
    baseUrl: settings.base_url,
    headers: settings.headers,
    seesImages: settings.images,
    contextTokens: settings.context_tokens,
    ...(settings.tool_calls === 'auto' ? {} : { toolCalls: settings.tool_calls }),
    reasoning: settings.reasoning,
    fallback: settings.fallback,
    schemaStrategy: settings.tool_schema,
    maxOutputTokens: settings.max_output_tokens,
    timeoutSecs: settings.timeout_secs,
  };
}

/** Whether a model has its key. A compatible server may need none. */
function hasKey({ provider, api_key: apiKey }: ModelSettings, environment: Environment): boolean {
  return provider === 'openai_compatible' || apiKey !== undefined || variableIn(environment, provider) !== undefined;
}

/** The variable that holds the provider's key. */
function variableIn(environment: Environment, provider: keyof typeof keyVariables): string | undefined {
  const names: readonly string[] = keyVariables[provider];
  return names.find((name) => (environment[name] ?? '') !== '');
}

/**
 * The transcription model, if the config has one. For OpenAI, the key may come from the environment; throws
 * `ConfigError` if it is missing there too.
 */
export function resolveTranscription(
  { transcription }: Pick<Config, 'transcription'>,
  environment: Environment,
): TranscriptionDescription | undefined {
  if (transcription === undefined) return undefined;
  const { base_url: baseUrl, name, language, timeout_secs } = transcription;
  const apiKey = audioKey(baseUrl, transcription.api_key, environment);
  if (lacksKey(baseUrl, apiKey)) throw unusable(['transcription', 'api_key'], noOpenAiKey);
  return { baseUrl, name, apiKey, language, timeout: timeout_secs * 1000 };
}

/** The key of a server that hears or speaks: for OpenAI, it may come from the environment. */
export function audioKey(baseUrl: string, ownKey: string | undefined, environment: Environment): string | undefined {
  return ownKey ?? (isOpenAi(baseUrl) ? environment.OPENAI_API_KEY : undefined);
}

/** Whether the server would refuse everything. */
export function lacksKey(baseUrl: string, apiKey: string | undefined): boolean {
  return isOpenAi(baseUrl) && (apiKey === undefined || apiKey === '');
}

function isOpenAi(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === 'api.openai.com';
}

function noKey(variables: readonly string[]): InLanguage {
  return (language) => configWords[language].noKey({ variables });
}

/** What is wrong where `lacksKey`. */
export const noOpenAiKey = noKey(keyVariables.openai);

function unusable(path: readonly string[], text: InLanguage): ConfigError {
  return new ConfigError([{ key: spellPath(path), text, path }]);
}
