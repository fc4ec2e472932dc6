import { type Clock, sleep } from '../../../lib/clock.ts';
import type { ProcessFamily } from './process-family.ts';

/** How often is looked whether those that were told to end have done so, in milliseconds: at first sooner. */
const look = 25;

const mostKills = 40;

/** Asks them to end, and waits until they have or the grace (in milliseconds) is over. */
export async function endGently(family: ProcessFamily, clock: Clock, grace: number): Promise<void> {
  const deadline = clock.now() + grace;
  await family.signal('SIGTERM');
  while (clock.now() < deadline && (await family.isAlive())) await sleep(clock, look);
}

/** Repeats until none is left: a process that is killed may have started another meanwhile. */
export async function endAll(family: ProcessFamily, clock: Clock): Promise<void> {
  for (let kills = 0; kills < mostKills; kills++) {
    if ((await family.signal('SIGKILL')) === 0) return;
    // What is killed is gone in no time, and the end of a sandbox comes by itself.
    await sleep(clock, Math.min(2 ** kills, look));
  }
}
