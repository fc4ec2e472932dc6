import type { ModelDescription } from '../model/create-model.ts';
import { ConfigError } from './config-error.ts';
import { chooseOne, offlineName } from './cross-checks.ts';
import type { Environment } from './environment.ts';
import type { ModelSettings } from './model-settings.ts';
import { spellPath } from './placed-fault.ts';
import type { Config } from './schema.ts';

/** A model, with all that is needed to call it. */
export type ChosenModel = { readonly provider: 'offline' } | ModelDescription;

export interface ModelChoice {
  readonly model: ChosenModel;
  /** One line for the start-up text. */
  readonly why: string;
}

/**
 * Which model answers: the one that the config chooses, else its only one, else that of the first provider whose key is
 * in the environment, else none. Throws `ConfigError` if there are several, or the key is missing.
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
  return { model: describe(name, settings, environment), why };
}

const noModel = `the config has no models, and none of ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY is set`;

function onlyOne(names: readonly string[]): string | undefined {
  if (names.length > 1) throw unusable(['model'], chooseOne(names));
  return names[0];
}

function describe(key: string, settings: ModelSettings, environment: Environment): ModelDescription {
  const apiKey = settings.api_key ?? keyFor(key, settings.provider, environment);
  return {
    key,
    provider: settings.provider,
    name: settings.name,
    ...(apiKey !== undefined && { apiKey }),
    ...(settings.base_url !== undefined && { baseUrl: settings.base_url }),
    ...(settings.headers !== undefined && { headers: settings.headers }),
    ...(settings.images !== undefined && { seesImages: settings.images }),
    ...(settings.max_output_tokens !== undefined && { maxOutputTokens: settings.max_output_tokens }),
    timeoutSecs: settings.timeout_secs,
  };
}

/** A compatible server may need no key; the three providers always do. */
function keyFor(key: string, provider: ModelSettings['provider'], environment: Environment): string | undefined {
  if (provider === 'openai_compatible') return undefined;
  const variables = keyVariables[provider];
  const value = variables.map((variable) => environment[variable]).find((found) => found !== undefined && found !== '');
  if (value !== undefined) return value;
  throw unusable(
    ['models', key, 'api_key'],
    `missing, and ${variables.join(' or ')} is not set in the environment or .env.`,
  );
}

function fromEnvironment(environment: Environment): ModelChoice | undefined {
  for (const { provider, name } of defaultModels) {
    for (const variable of keyVariables[provider]) {
      const apiKey = environment[variable];
      if (apiKey === undefined || apiKey === '') continue;
      return {
        model: { key: provider, provider, name, apiKey },
        why: `${variable} is set, and the config has no models`,
      };
    }
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
