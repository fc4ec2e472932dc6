/* What the Keyturn that runs holds of the config, and whether it has taken over a new one. */

import { type AskedConfig, takenOver } from '../../../config/taken-over.ts';
import type { ConfigFacts } from '../../../daemon/local-socket/config-facts.ts';
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

/** Waits until the process in this folder holds the config, and says how that ended. */
export async function outcomeOf(
  wanted: JsonValue,
  context: Asking,
  { dataFolder, before }: { readonly dataFolder: string; readonly before: ConfigFacts | 'unknown' | undefined },
): Promise<string> {
  const say = configCommandWords[context.language];
  const ask = async (): Promise<AskedConfig> => (await heldBefore(context, dataFolder)) ?? 'none';
  const outcome = await takenOver(wanted, before ?? 'none', ask);
  if (outcome === 'none') return say.takenAtStart;
  if (outcome === 'unknown') return say.notTold;
  switch (outcome.type) {
    case 'in-force':
      return say.inForce;
    case 'but':
      return say.inForceBut({ keys: outcome.keys });
    case 'refused':
      return say.refused({ fault: outcome.fault });
    case 'needs-hang-up':
      return say.needsHangUp;
    case 'not-yet':
      return say.notTaken;
  }
}
