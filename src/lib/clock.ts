/** The one source of time. All durations are milliseconds; an instant is milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
  /** Calls back once after the duration; the returned function calls it off. The timer does not keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Node takes a longer wait for 1 ms. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, longestTimer));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Waits that long, or until the signal aborts; resolves in both cases, so look at the signal afterwards. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/**
 * Whether the work ends within so many milliseconds, and before the signal aborts. It is not told to end: if it fails
 * after that, nobody learns it. Throws what it throws in time.
 */
export async function endsWithin(
  work: Promise<void>,
  {
    clock,
    milliseconds,
    signal,
  }: { readonly clock: Clock; readonly milliseconds: number; readonly signal?: AbortSignal },
): Promise<boolean> {
  const decided = new AbortController();
  const enough = signal === undefined ? decided.signal : AbortSignal.any([decided.signal, signal]);
  try {
    return await Promise.race([work.then(() => true), sleep(clock, milliseconds, enough).then(() => false)]);
  } finally {
    decided.abort();
  }
}

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
