import type { Clock } from '../lib/clock.ts';

export type CallTimer = ReturnType<typeof startCallTimer>;

/**
 * Starts the time that a call may take, in milliseconds. It stands still while a person is asked. `over` is called once,
 * unless it is stopped before.
 */
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
    /** How long it has stood still, in milliseconds. */
    paused: () => paused,
    /** Lets it stand still until the returned function is called, and everybody else who stopped it has done so, too. */
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
    /** Gives it the whole time once more. */
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
