import { type Clock, sleep } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { growingPause, type PauseSettings } from './delivery-pause.ts';

export interface NoteDownContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: PauseSettings;
}

/**
 * Notes down what the platform has done, however often that has to be tried: while nothing can be stored, showing it once
 * more each time would never end. Throws only if the signal aborts.
 */
export async function noteDown(
  write: () => Promise<void>,
  { clock, log, settings }: NoteDownContext,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted) throw error;
      log.error({ err: error }, 'what the platform did could not be noted down; trying again');
      await sleep(clock, growingPause(failures, settings), signal);
    }
  }
}
