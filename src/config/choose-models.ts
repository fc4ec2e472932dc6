import { type ChosenModel, hasKey, resolveModel, toDescription } from './choose-model.ts';
import { offlineName } from './cross-checks.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

export interface ModelsChoice {
  /** What answers where nobody chooses another. */
  readonly defaultName: string;
  /** All that can be chosen, the default first. */
  readonly models: ReadonlyMap<string, ChosenModel>;
  /** One line for the start-up text. */
  readonly why: string;
}

/**
 * Which models there are to choose from. One whose key is missing is left out, unless it is the default, an agent's, or has to
 * stand in for one of these: then throws `ConfigError`.
 */
export function resolveModels(
  config: Pick<Config, 'model' | 'models'> & Partial<Pick<Config, 'agents'>>,
  environment: Environment,
): ModelsChoice {
  const { model, why } = resolveModel(config, environment);
  const defaultName = model.provider === 'offline' ? offlineName : model.key;
  const ofAgents = Object.values(config.agents ?? {}).flatMap((agent) => agent.model ?? []);
  const needed = withFallbacks([defaultName, ...ofAgents], config.models);
  const others = Object.entries(config.models).flatMap(([name, settings]) => {
    const isOffered = name !== defaultName && (needed.has(name) || hasKey(settings, environment));
    return isOffered ? [[name, toDescription(name, settings, environment)] as const] : [];
  });
  return { defaultName, models: new Map<string, ChosenModel>([[defaultName, model], ...others]), why };
}

function withFallbacks(names: readonly string[], models: Config['models']): ReadonlySet<string> {
  const found = new Set(names);
  for (const member of found) for (const next of models[member]?.fallback ?? []) found.add(next);
  return found;
}
