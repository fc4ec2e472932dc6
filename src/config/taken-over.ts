import { sleep, systemClock } from '../lib/clock.ts';
import type { JsonValue } from '../lib/json.ts';
import type { HeldConfig, TakenOver } from './config-desk.ts';
import { differencesOf, isOfNextStart } from './differences.ts';

/** What the process says of its config. `unknown`: it does not say · `none`: there is no process. */
export type AskedConfig = HeldConfig | 'unknown' | 'none';

/** How often the process is asked, and for how long: it takes over an edit within two seconds. In ms. */
const pause = 250;
const patience = 8_000;

/**
 * Waits until the process holds the config, and says how that ended. What it says is true at that moment: nothing is
 * promised. `before`: what the process said before the config was written.
 */
export async function takenOver(
  wanted: JsonValue,
  before: AskedConfig,
  ask: () => Promise<AskedConfig>,
): Promise<TakenOver | 'unknown' | 'none'> {
  if (before === 'none' || before === 'unknown') return before;
  if (!before.isFollowed) return { type: 'needs-hang-up' };
  const end = systemClock.now() + patience;
  for (;;) {
    const held = await ask();
    if (held === 'none' || held === 'unknown') return held;
    const left = differencesOf(held.config, wanted).map(({ key }) => key);
    const late = left.filter(isOfNextStart);
    if (left.length === late.length) return late.length === 0 ? { type: 'in-force' } : { type: 'but', keys: late };
    if (held.fault !== undefined && systemClock.now() > end - patience / 2)
      return { type: 'refused', fault: held.fault };
    if (systemClock.now() >= end) return { type: 'not-yet' };
    await sleep(systemClock, pause);
  }
}
