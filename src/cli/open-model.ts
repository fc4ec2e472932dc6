import type { ChosenModel, ModelsChoice } from '../config/choose-model.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ConfiguredModel, configuredModels, Models } from '../models/configured-models.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { Transcriber, TranscriptionDescription } from '../models/transcriber.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Makes the models that the config has, loading only what the default needs: each other one is made when it is first
 * asked. Throws `ModelError` if the default cannot be made.
 */
export async function openModels({ defaultName, models }: ModelsChoice, surroundings: Surroundings): Promise<Models> {
  const { clock, log } = surroundings;
  const theDefault = await openModel(models.get(defaultName) ?? { provider: 'offline' }, clock);
  const { configuredModels, describeModel } = await import('../models/configured-models.ts');
  const configured = new Map<string, ConfiguredModel>();
  for (const [name, model] of models) {
    // The offline one can only be the default.
    const isOffline = model.provider === 'offline';
    const facts = isOffline ? theDefault : describeModel(model);
    configured.set(name, {
      label: facts.label,
      seesImages: facts.seesImages,
      fallback: (isOffline ? undefined : model.fallback) ?? [],
      open: () => openModel(model, clock),
      opened: name === defaultName ? theDefault : undefined,
    });
  }
  return configuredModels({
    defaultName,
    models: configured,
    failover: await failoverFor(configured, surroundings),
    log,
  });
}

/** Loaded only where a model has others to stand in for it. */
async function failoverFor(
  models: ReadonlyMap<string, ConfiguredModel>,
  { clock, log }: Surroundings,
): Promise<Parameters<typeof configuredModels>[0]['failover']> {
  if ([...models.values()].every(({ fallback }) => fallback.length === 0)) return ({ model }) => model;
  const { withFailover, createCoolDown } = await import('../models/failover.ts');
  const coolDown = createCoolDown(clock);
  return (first, fallbacks) => withFailover(first, fallbacks, { coolDown, log });
}

/** Makes one model, with all that helps it over failures of its own. */
async function openModel(description: ChosenModel, clock: Clock): Promise<LanguageModel> {
  if (description.provider === 'offline') return (await import('../models/offline-model.ts')).offlineModel;
  const [{ createModel }, { withPictureFallback, withRetries }, { withContinuation }, { withPrice }] =
    await Promise.all([
      import('../models/create-model.ts'),
      import('../models/retry.ts'),
      import('../models/continuation.ts'),
      import('../models/price.ts'),
    ]);
  const created = await createModel(description, clock);
  const patient = (model: LanguageModel): LanguageModel => withRetries(model, { clock, random: Math.random });
  const seeing = (model: LanguageModel): LanguageModel => (model.seesImages ? withPictureFallback(model) : model);
  const priced = (model: LanguageModel): LanguageModel => withPrice(model, description.key, description.price);
  if (description.toolCalls !== 'text') return priced(withContinuation(seeing(patient(created))));
  const { withTextTools, writtenCall } = await import('../models/text-tools/text-tools.ts');
  // A text goes on below: what stands in code is known only to who reads an answer from its beginning. What breaks off in a call
  // is asked for again above, where calls are known.
  const spoken = withTextTools(withContinuation(seeing(created), writtenCall));
  return priced(withContinuation(patient(spoken)));
}

/** Makes what writes down speech, if the config has it. */
export async function openTranscriber(
  description: TranscriptionDescription | undefined,
  clock: Clock,
): Promise<Transcriber | undefined> {
  if (description === undefined) return undefined;
  return (await import('../models/transcriber.ts')).openAiTranscriber(description, clock);
}
