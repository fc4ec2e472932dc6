/* What the Keyturn that runs holds of the config, and whether it has taken over a new one. */

import { type Difference, differencesOf, isOfNextStart } from '../../../config/differences.ts';
import type { ConfigFacts } from '../../../daemon/local-socket/config-facts.ts';
import { sleep, systemClock } from '../../../lib/clock.ts';
import type { JsonValue } from '../../../lib/json.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import type { CommandContext } from '../command.ts';
import { configCommandWords } from './words.ts';

type Asking = Pick<CommandContext, 'place' | 'language'>;

/** Undefined if no process works with the data folder. Rejects with `UnansweredError` if one does, and does not say. */
export async function heldConfig(context: Asking, dataFolder: string): Promise<ConfigFacts | undefined> {
  try {
    return await askDaemon<ConfigFacts>(context, {
      request: 'config',
      fields: ['config', 'isFollowed'],
      dataFolder,
    });
  } catch (error) {
    if (error instanceof UnansweredError && error.isNotRunning) return undefined;
    throw error;
  }
}

/** The same, before something is written: a process that does not say, such as an older version, keeps nobody from writing. */
export async function heldBefore(context: Asking, dataFolder: string): Promise<ConfigFacts | 'unknown' | undefined> {
  try {
    return await heldConfig(context, dataFolder);
  } catch (error) {
    if (error instanceof UnansweredError) return 'unknown';
    throw error;
  }
}

/** How often the process is asked, and for how long: it takes over an edit within two seconds. In ms. */
const pause = 250;
const patience = 8_000;

/**
 * Waits until the process in this folder holds the config, and says how that ended. What it says is true at that moment: nothing is
 * promised.
 */
export async function outcomeOf(
  wanted: JsonValue,
  context: Asking,
  { dataFolder, before }: { readonly dataFolder: string; readonly before: ConfigFacts | 'unknown' | undefined },
): Promise<string> {
  const say = configCommandWords[context.language];
  if (before === undefined) return say.takenAtStart;
  if (before === 'unknown') return say.notTold;
  if (!before.isFollowed) return say.needsHangUp;
  const end = systemClock.now() + patience;
  for (;;) {
    const held = await heldBefore(context, dataFolder);
    if (held === undefined) return say.takenAtStart;
    if (held === 'unknown') return say.notTold;
    const left = differencesOf(held.config, wanted);
    const late = left.filter(isLate).map(({ key }) => key);
    if (left.length === late.length) return late.length === 0 ? say.inForce : say.inForceBut({ keys: late });
    if (held.fault !== undefined && systemClock.now() > end - patience / 2) return say.refused({ fault: held.fault });
    if (systemClock.now() >= end) return say.notTaken;
    await sleep(systemClock, pause);
  }
}

function isLate({ key }: Difference): boolean {
  return isOfNextStart(key);
}
