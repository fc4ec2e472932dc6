import { type ModelDescription, withFallbacks } from '../models/language-model.ts';
import type { ChosenModel } from '../models/open-models.ts';
import type { TranscriptionDescription } from '../models/transcriber.ts';
import { ConfigError, spellPath } from './config-error.ts';
import { chooseOne, offlineName } from './cross-checks.ts';
import type { Environment } from './environment.ts';
import type { ModelSettings } from './model-settings.ts';
import type { Config } from './schema.ts';

export interface ModelChoice {
  readonly model: ChosenModel;
  /** One line for the start-up text. */
  readonly why: string;
}

/**
 * The default model: the one that the config chooses, else its only one, else that of the first provider with a key in
 * the environment, else the offline model. Throws `ConfigError` if the choice is ambiguous or unknown, or its key is
 * missing.
 */
export function resolveModel(config: Pick<Config, 'model' | 'models'>, environment: Environment): ModelChoice {
  const offline: ChosenModel = { provider: 'offline' };
  if (config.model === offlineName) return { model: offline, why: 'the config chooses to work offline' };
  const names = Object.keys(config.models);
  const name = config.model ?? onlyOne(names);
  if (name === undefined) return fromEnvironment(environment) ?? { model: offline, why: noModel };
  const settings = config.models[name];
  if (settings === undefined) throw unusable(['model'], `there is no model "${name}" in models.`);
  const why = config.model === undefined ? 'the only one in the config' : 'chosen in the config';
  return { model: toDescription(name, settings, environment), why };
}

const noModel = `the config has no models, and none of ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY is set`;

function onlyOne(names: readonly string[]): string | undefined {
  if (names.length > 1) throw unusable(['model'], chooseOne(names));
  return names[0];
}

/** Throws `ConfigError` if the key is missing. */
function toDescription(key: string, settings: ModelSettings, environment: Environment): ModelDescription {
  const apiKey = settings.api_key ?? keyFor(key, settings.provider, environment);
  return {
    key,
    provider: settings.provider,
    name: settings.name,
    apiKey,
    baseUrl: settings.base_url,
    headers: settings.headers,
    seesImages: settings.images,
    ...(settings.tool_calls === 'text' && { toolCalls: settings.tool_calls }),
    reasoning: settings.reasoning,
    fallback: settings.fallback,
    schemaStrategy: settings.tool_schema,
    maxOutputTokens: settings.max_output_tokens,
    timeoutSecs: settings.timeout_secs,
  };
}

/** A compatible server may need no key; the three providers always do. */
function keyFor(key: string, provider: ModelSettings['provider'], environment: Environment): string | undefined {
  if (provider === 'openai_compatible') return undefined;
  const variable = variableIn(environment, provider);
  if (variable !== undefined) return environment[variable];
  throw unusable(
    ['models', key, 'api_key'],
    `missing, and ${keyVariables[provider].join(' or ')} is not set in the environment or .env.`,
  );
}

/** Whether a model of the config has its key. */
function hasKey({ provider, api_key: apiKey }: ModelSettings, environment: Environment): boolean {
  return provider === 'openai_compatible' || apiKey !== undefined || variableIn(environment, provider) !== undefined;
}

/** The variable that holds the provider's key. */
function variableIn(environment: Environment, provider: keyof typeof keyVariables): string | undefined {
  return keyVariables[provider].find((name) => (environment[name] ?? '') !== '');
}

function fromEnvironment(environment: Environment): ModelChoice | undefined {
  for (const { provider, name } of defaultModels) {
    const variable = variableIn(environment, provider);
    if (variable === undefined) continue;
    const why = `${variable} is set, and the config has no models`;
    return { model: { key: provider, provider, name, apiKey: environment[variable] }, why };
  }
  return undefined;
}

const keyVariables = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
} as const;

/** In the order in which they are tried. */
const defaultModels = [
  { provider: 'anthropic', name: 'claude-sonnet-5-5' },
  { provider: 'openai', name: 'gpt-6-astra' },
  { provider: 'google', name: 'gemini-4-argon' },
] as const;

function unusable(path: readonly string[], text: string): ConfigError {
  return new ConfigError([{ key: spellPath(path), text }]);
}

export interface ModelsChoice {
  /** The model where no other is chosen. */
  readonly defaultName: string;
  /** All selectable models, the default first. */
  readonly models: ReadonlyMap<string, ChosenModel>;
  /** One line for the start-up text. */
  readonly why: string;
}

/**
 * The selectable models. A model without its key is left out, unless it is the default, an agent's or a fallback of one
 * of these: then throws `ConfigError`.
 */
export function resolveModels(
  config: Pick<Config, 'model' | 'models'> & Partial<Pick<Config, 'agents'>>,
  environment: Environment,
): ModelsChoice {
  const { model, why } = resolveModel(config, environment);
  const defaultName = model.provider === 'offline' ? offlineName : model.key;
  const ofAgents = Object.values(config.agents ?? {}).flatMap((agent) => agent.model ?? []);
  const needed = withFallbacks([defaultName, ...ofAgents], (name) => config.models[name]?.fallback ?? []);
  const others = Object.entries(config.models).flatMap(([name, settings]) => {
    const isOffered = name !== defaultName && (needed.has(name) || hasKey(settings, environment));
    return isOffered ? [[name, toDescription(name, settings, environment)] as const] : [];
  });
  return { defaultName, models: new Map<string, ChosenModel>([[defaultName, model], ...others]), why };
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
  const isOpenAi = URL.parse(baseUrl)?.hostname === 'api.openai.com';
  const apiKey = transcription.api_key ?? (isOpenAi ? environment.OPENAI_API_KEY : undefined);
  if (isOpenAi && (apiKey === undefined || apiKey === ''))
    throw new ConfigError([{ key: 'transcription.api_key', text: noKey }]);
  return { baseUrl, name, apiKey, language, timeout: timeout_secs * 1000 };
}

const noKey = 'missing, and OPENAI_API_KEY is not set in the environment or .env.';
