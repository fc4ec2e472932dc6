import type { RunQueue } from '../../engine/wake.ts';
import type { Services } from '../services.ts';

/** What answers are made of. */
export interface LocalParts {
  readonly services: Services;
  readonly queue: Pick<RunQueue, 'isWorking'>;
  /** When this process began, in ms since 1970. */
  readonly upSince: number;
}
