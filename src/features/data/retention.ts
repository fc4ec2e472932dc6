import type { FeatureCore } from '../../feature-points.ts';
import { sleep } from '../../lib/clock.ts';
import { keptPath } from '../../tools/output.ts';
import type { RemovedCall, RetentionPlace, RetentionStep, RetentionStore } from './tables.ts';

/** What the removal needs. */
export interface RetentionParts extends Pick<FeatureCore, 'clock' | 'log' | 'ending' | 'workspaceOf' | 'workspaceAt'> {
  readonly retention: RetentionStore;
}

/** What others get between two steps, in ms. */
const betweenSteps = 20;

/**
 * Removes what is older than that instant, in ms since 1970, a little at a time. Ended or killed, it goes on from what is
 * still there. Gives how many rows are gone; undefined if it was ended before.
 */
export async function removeOld(before: number, parts: RetentionParts): Promise<number | undefined> {
  const { clock, ending, retention } = parts;
  let place: RetentionPlace | undefined;
  let removed = 0;
  do {
    // The files go first: nobody would find them again by a call that is gone.
    await removeResults(await retention.due(before, place), parts);
    const step: RetentionStep = await retention.step(before, place);
    removed += step.removed;
    place = step.next;
    await sleep(clock, betweenSteps, ending);
    if (ending.aborted) return undefined;
  } while (place !== undefined);
  return removed;
}

/** Results that were too long to stand in the database alone. */
async function removeResults(calls: readonly RemovedCall[], parts: RetentionParts): Promise<void> {
  const { workspaceAt, workspaceOf, log } = parts;
  for (const { id, result, conversation, principal } of calls) {
    const path = keptPath(id);
    if (!result.includes(path)) continue;
    try {
      await workspaceAt(workspaceOf(conversation, principal)).remove(path);
    } catch (error) {
      log.debug({ err: error }, 'the file of an old result could not be removed');
    }
  }
}
