import type { Clock } from '../lib/clock.ts';

export type CallTimer = ReturnType<typeof startCallTimer>;

/** Starts a call's timeout, in ms. It pauses while a person is asked. Calls `over` once, unless stopped before. */
export function startCallTimer(clock: Clock, milliseconds: number, over: () => void) {
  let left = milliseconds;
  let since = clock.now();
  let cancel = clock.after(left, over);
  let pauses = 0;
  let paused = 0;

  function goOn(): void {
    since = clock.now();
    cancel = clock.after(left, over);
  }

  return {
    /** How long it was paused, in ms. */
    paused: () => paused,
    /** Pauses until the returned function is called. Several pauses end with the last one. */
    pause(): () => void {
      if (pauses++ === 0) {
        cancel();
        left -= clock.now() - since;
        since = clock.now();
      }
      return () => {
        if (--pauses > 0) return;
        paused += clock.now() - since;
        goOn();
      };
    },
    /** Resets it to the full time. */
    restart(): void {
      left = milliseconds;
      if (pauses > 0) return;
      cancel();
      goOn();
    },
    stop(): void {
      pauses = Number.POSITIVE_INFINITY;
      cancel();
    },
  };
}
