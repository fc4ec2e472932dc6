import type { LoadedConfig } from '../../config/load.ts';
import type { Language } from '../../lib/words.ts';
import type { CheckContext } from '../doctor/check.ts';
import type { Ground } from './draft.ts';
import type { Surroundings } from './surroundings.ts';

/** What the steps of a set-up work with. */
export interface SetupParts extends Pick<CheckContext, 'place' | 'dataFolder' | 'isRunning' | 'fetch'> {
  readonly ground: Ground;
  /** The config as it is before. */
  readonly loaded: LoadedConfig;
  readonly surroundings: Surroundings;
  readonly language: Language;
}
