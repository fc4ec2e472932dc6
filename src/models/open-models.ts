import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/remembered.ts';
import type { LanguageModel, ModelRequest } from './language-model.ts';
import { describeModel, type ModelDescription, withFallbacks } from './model-description.ts';

/** A model, with all that is needed to call it. */
export type ChosenModel = { readonly provider: 'offline' } | ModelDescription;

/** The models that conversations can choose from. */
export interface Models {
  /** What answers where nobody has chosen another. */
  readonly defaultName: string;
  /** All that can be chosen, the default among them, by their names in the config. */
  readonly names: readonly string[];
  /**
   * The model of that name: the default for none, and for one that the config does not have any more. Opens nothing: that
   * comes with the first request.
   */
  of(name: string | undefined): LanguageModel;
}

/**
 * Makes the models that the config has, loading only what the default needs: each other one is made when it is first
 * asked. Throws `ModelError` if the default cannot be made.
 */
export async function openModels(
  { defaultName, models }: { readonly defaultName: string; readonly models: ReadonlyMap<string, ChosenModel> },
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Models> {
  const theDefault = await openModel(models.get(defaultName) ?? { provider: 'offline' }, clock);
  const alone = new Map<string, LanguageModel>();
  for (const [name, model] of models) {
    // The offline one can only be the default.
    alone.set(name, name === defaultName || model.provider === 'offline' ? theDefault : openedLater(model, clock));
  }
  // Loaded only where a model has others to stand in for it.
  const hasFallbacks = [...models.values()].some((model) => fallbacksOf(model).length > 0);
  const failover = hasFallbacks ? (await import('./failover.ts')).createFailover(clock, log) : undefined;
  const made = new Map<string, LanguageModel>();
  const missed = new Set<string>();

  function of(name = defaultName): LanguageModel {
    const known = alone.has(name) ? name : defaultName;
    if (known !== name && !missed.has(name)) {
      // A conversation remembers its choice longer than the config may.
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
      return model === undefined ? [] : [{ name: member, model }];
    });
    const [first = { name, model: theDefault }, ...fallbacks] = candidates;
    return failover === undefined || fallbacks.length === 0 ? first.model : failover(first, fallbacks);
  }

  return { defaultName, names: [...models.keys()], of };
}

function fallbacksOf(model: ChosenModel | undefined): readonly string[] {
  return model === undefined || model.provider === 'offline' ? [] : (model.fallback ?? []);
}

/** A model that cannot be opened is tried again with the next request. */
function openedLater(description: ModelDescription, clock: Clock): LanguageModel {
  const opened = once(() => openModel(description, clock));
  return {
    ...describeModel(description),
    async *stream(request: ModelRequest) {
      yield* (await opened()).stream(request);
    },
  };
}

/** Makes one model, with all that helps it over failures of its own. */
async function openModel(description: ChosenModel, clock: Clock): Promise<LanguageModel> {
  if (description.provider === 'offline') return (await import('./offline-model.ts')).offlineModel;
  const [{ createModel }, { withContinuation, withRetries }] = await Promise.all([
    import('./create-model.ts'),
    import('./retry.ts'),
  ]);
  const created = await createModel(description, clock);
  const patient = (model: LanguageModel): LanguageModel => withRetries(model, { clock, random: Math.random });
  if (description.toolCalls !== 'text') return withContinuation(patient(created));
  const { withTextTools, writtenCall } = await import('./text-tools/text-tools.ts');
  // A text goes on below: what stands in code is known only to who reads an answer from its beginning. What breaks off in a call
  // is asked for again above, where calls are known.
  return withContinuation(patient(withTextTools(withContinuation(created, writtenCall))));
}
