import type { ChosenModel } from '../config/choose-model.ts';
import type { Clock } from '../lib/clock.ts';
import type { LanguageModel } from '../model/language-model.ts';

/** Makes the model that the config chose, loading only what it needs. */
export async function openModel(description: ChosenModel, clock: Clock): Promise<LanguageModel> {
  if (description.provider === 'offline') return (await import('../model/offline-model.ts')).offlineModel;
  const [{ createModel }, { withRetries }] = await Promise.all([
    import('../model/create-model.ts'),
    import('../model/retry.ts'),
  ]);
  return withRetries(await createModel(description, clock), { clock, random: Math.random });
}
