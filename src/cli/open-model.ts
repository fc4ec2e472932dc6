import type { ChosenModel } from '../config/choose-model.ts';
import type { Clock } from '../lib/clock.ts';
import type { LanguageModel } from '../model/language-model.ts';
import type { TranscriptionDescription } from '../model/openai-transcriber.ts';
import type { Transcriber } from '../model/transcriber.ts';

/** Makes the model that the config chose, loading only what it needs. */
export async function openModel(description: ChosenModel, clock: Clock): Promise<LanguageModel> {
  if (description.provider === 'offline') return (await import('../model/offline-model.ts')).offlineModel;
  const [{ createModel }, { withPictureFallback }, { withRetries }] = await Promise.all([
    import('../model/create-model.ts'),
    import('../model/picture-fallback.ts'),
    import('../model/retry.ts'),
  ]);
  const model = withRetries(await createModel(description, clock), { clock, random: Math.random });
  return model.seesImages ? withPictureFallback(model) : model;
}

/** Makes what writes down speech, if the config has it. */
export async function openTranscriber(
  description: TranscriptionDescription | undefined,
  clock: Clock,
): Promise<Transcriber | undefined> {
  if (description === undefined) return undefined;
  return (await import('../model/openai-transcriber.ts')).openAiTranscriber(description, clock);
}
