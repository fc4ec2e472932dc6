import type { Clock } from './clock.ts';

/** In milliseconds. */
const tick = 20_000;
/** A machine that is busy is late too, but not by so much. In milliseconds. */
const tolerance = 5_000;

/**
 * Calls back when the time has jumped: the machine slept, or its clock was set, forward or back. A timer counts the time
 * that the machine was awake, and the clock says what passed on the wall; where these differ, other timers are wrong too.
 * Returns what ends it.
 */
export function watchForJumps(clock: Clock, jumped: (by: number) => void): () => void {
  let cancel = (): void => {};
  const wait = (): void => {
    const since = clock.now();
    cancel = clock.after(tick, () => {
      const by = clock.now() - since - tick;
      wait();
      if (Math.abs(by) > tolerance) jumped(by);
    });
  };
  wait();
  return () => cancel();
}
