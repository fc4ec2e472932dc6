import type { ChosenModel } from '../config/choose-model.ts';
import type { ModelsChoice } from '../config/choose-models.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ConfiguredModel, ConfiguredModelsDependencies } from '../model/configured-models.ts';
import type { LanguageModel } from '../model/language-model.ts';
import type { Models } from '../model/models.ts';
import type { TranscriptionDescription } from '../model/openai-transcriber.ts';
import type { Transcriber } from '../model/transcriber.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Makes the models that the config has, loading only what the default needs: each other one is made when it is first
 * asked. Throws `ModelError` if the default cannot be made.
 */
export async function openModels({ defaultName, models }: ModelsChoice, surroundings: Surroundings): Promise<Models> {
  const chosen = models.get(defaultName) ?? { provider: 'offline' };
  const theDefault = await openModel(chosen, surroundings.clock);
  const { ConfiguredModels } = await import('../model/configured-models.ts');
  const described = [...models].map(async ([name, model]): Promise<readonly [string, ConfiguredModel]> => {
    const facts = await factsOf(model, theDefault);
    const open = (): Promise<LanguageModel> => openModel(model, surroundings.clock);
    return [name, { ...facts, open, ...(name === defaultName ? { opened: theDefault } : {}) }];
  });
  const configured = new Map(await Promise.all(described));
  const failover = await failoverFor(configured, surroundings);
  return new ConfiguredModels({ defaultName, models: configured, failover, log: surroundings.log });
}

/** What is known of a model before it is opened. The offline one can only be the default. */
async function factsOf(model: ChosenModel, theDefault: LanguageModel): Promise<Omit<ConfiguredModel, 'open'>> {
  if (model.provider === 'offline') {
    return { label: theDefault.label, seesImages: theDefault.seesImages, fallback: [] };
  }
  const { describeModel } = await import('../model/describe-model.ts');
  return { ...describeModel(model), fallback: model.fallback ?? [] };
}

/** Loaded only where a model has others to stand in for it. */
async function failoverFor(
  models: ReadonlyMap<string, ConfiguredModel>,
  { clock, log }: Surroundings,
): Promise<ConfiguredModelsDependencies['failover']> {
  if ([...models.values()].every(({ fallback }) => fallback.length === 0)) return ({ model }) => model;
  const [{ withFailover }, { CoolDown }] = await Promise.all([
    import('../model/failover.ts'),
    import('../model/cool-down.ts'),
  ]);
  const coolDown = new CoolDown(clock);
  return (first, fallbacks) => withFailover(first, fallbacks, { coolDown, log });
}

/** Makes one model, with all that helps it over failures of its own. */
async function openModel(description: ChosenModel, clock: Clock): Promise<LanguageModel> {
  if (description.provider === 'offline') return (await import('../model/offline-model.ts')).offlineModel;
  const [{ createModel }, { withPictureFallback }, { withRetries }, { withContinuation }, { withPrice }] =
    await Promise.all([
      import('../model/create-model.ts'),
      import('../model/picture-fallback.ts'),
      import('../model/retry.ts'),
      import('../model/continuation.ts'),
      import('../model/price.ts'),
    ]);
  const model = withRetries(await createModel(description, clock), { clock, random: Math.random });
  const continued = withContinuation(model.seesImages ? withPictureFallback(model) : model);
  const whole = withPrice(continued, description.key, description.price);
  if (description.toolCalls !== 'text') return whole;
  // Around all of them: what stands in code is known only to who reads an answer from its beginning.
  return (await import('../model/text-tools/text-tools.ts')).withTextTools(whole);
}

/** Makes what writes down speech, if the config has it. */
export async function openTranscriber(
  description: TranscriptionDescription | undefined,
  clock: Clock,
): Promise<Transcriber | undefined> {
  if (description === undefined) return undefined;
  return (await import('../model/openai-transcriber.ts')).openAiTranscriber(description, clock);
}
