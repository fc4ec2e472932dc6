import { once } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { directNetwork, type Network } from '../lib/network/network.ts';
import {
  describeModel,
  type LanguageModel,
  type ModelDescription,
  type ModelRequest,
  withFallbacks,
} from './language-model.ts';
import { createModelHealth, type ModelState } from './model-health.ts';
import { createFailover, withContinuation, withRetries } from './retry.ts';

/** Everything needed to call a model. */
export type ChosenModel = { readonly provider: 'offline' } | ModelDescription;

interface OpenModelParts {
  readonly clock: Clock;
  /** Default: directly. */
  readonly network?: Network;
}

/** The models that conversations can choose from. */
export interface Models {
  /** The model of conversations that have not chosen one. */
  readonly defaultName: string;
  /** All models in the config, including the default. */
  readonly names: readonly string[];
  /**
   * The model of that name; the default if the name is missing or no longer in the config. Opened by its first request.
   */
  of(name: string | undefined): LanguageModel;
  /** How its last requests ended, since this process opened it. */
  stateOf(name: string | undefined): ModelState;
}

/**
 * Makes the models in the config. Only the default is loaded now, each other model on its first request. Throws
 * `ModelError` if the default cannot be made.
 */
export async function openModels(
  { defaultName, models }: { readonly defaultName: string; readonly models: ReadonlyMap<string, ChosenModel> },
  { clock, log, network = directNetwork }: OpenModelParts & { readonly log: Log },
): Promise<Models> {
  const theDefault = await openModel(models.get(defaultName) ?? { provider: 'offline' }, { clock, network });
  // The offline model can only be the default.
  const alone = new Map(
    [...models].map(([name, model]) => {
      const isDefault = name === defaultName || model.provider === 'offline';
      return [name, isDefault ? theDefault : openedLater(model, { clock, network })] as const;
    }),
  );
  const health = createModelHealth(clock);
  const failover = createFailover(clock, log);
  const made = new Map<string, LanguageModel>();
  const missed = new Set<string>();

  function of(name = defaultName): LanguageModel {
    const known = alone.has(name) ? name : defaultName;
    if (known !== name && !missed.has(name)) {
      // The config may have lost a model that a conversation has chosen.
      const words =
        'a conversation has chosen a model that the config does not have any more; the default answers there';
      log.warn({ model: name }, words);
      missed.add(name);
    }
    const model = made.get(known) ?? make(known);
    made.set(known, model);
    return model;
  }

  function make(name: string): LanguageModel {
    const chain = withFallbacks([name], (member) => fallbacksOf(models.get(member)));
    const candidates = [...chain].flatMap((member) => {
      const model = alone.get(member);
      return model === undefined ? [] : [{ name: member, model: health.watched(member, model) }];
    });
    const [first = { name, model: health.watched(name, theDefault) }, ...fallbacks] = candidates;
    return fallbacks.length === 0 ? first.model : failover(first, fallbacks);
  }

  const stateOf = (name = defaultName): ModelState => health.stateOf(alone.has(name) ? name : defaultName);
  return { defaultName, names: [...models.keys()], of, stateOf };
}

function fallbacksOf(model: ChosenModel | undefined): readonly string[] {
  return model === undefined || model.provider === 'offline' ? [] : (model.fallback ?? []);
}

/** Opens the model on its first request. If that fails, the next request tries again. */
function openedLater(description: ModelDescription, parts: OpenModelParts): LanguageModel {
  const opened = once(() => openModel(description, parts));
  return {
    ...describeModel(description),
    async *stream(request: ModelRequest) {
      yield* (await opened()).stream(request);
    },
  };
}

/** Makes one model with retries and continuation. */
async function openModel(description: ChosenModel, { clock, network }: OpenModelParts): Promise<LanguageModel> {
  if (description.provider === 'offline') return (await import('./offline-model.ts')).offlineModel;
  const created = await (await import('./create-model.ts')).createModel(description, clock, network);
  const patient = (model: LanguageModel): LanguageModel => withRetries(model, { clock, random: Math.random });
  return withContinuation(patient(await withCallsInText(created, description)));
}

/** The servers of the providers themselves leave no calls in the text. */
async function withCallsInText(model: LanguageModel, description: ModelDescription): Promise<LanguageModel> {
  if (description.toolCalls === 'text') return (await import('./text-tools/text-tools.ts')).withTextTools(model);
  if (description.baseUrl === undefined) return model;
  return (await import('./text-tools/written-calls.ts')).withWrittenCalls(model);
}
