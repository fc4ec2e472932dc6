import { engineWords } from '../../src/engine/words.ts';

/** What people read while a model is asked again until then, as `02:40`. `why` is markdown. */
export function modelWaits(why: string, until: string): string {
  const utc = { timeZone: 'UTC', isNamed: false, language: 'en' } as const;
  return engineWords.en.waitsForModel({ why, until: 0, reader: utc }).replace('00:00', until);
}
