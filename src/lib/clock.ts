/** The only source of time. Durations are in ms; an instant is ms since 1970, UTC. */
export interface Clock {
  now(): number;
  /**
   * Calls back once after the duration. Returns a function that cancels it. The timer does not keep the process alive.
   */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Node turns a longer delay into 1 ms. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, longestTimer));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after the duration or when the signal aborts: check the signal afterwards. */
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
 * Whether the work ends in time and before the signal aborts. The work is not cancelled: if it fails later, nobody sees
 * the error. Throws what it throws in time.
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

/** In ms. */
const tick = 20_000;
/** A busy machine is late too, but not by this much. In ms. */
const tolerance = 5_000;

/**
 * Calls back when the time jumps: the machine slept, or its clock was set forward or back. A timer counts only the time
 * the machine is awake, so a difference to the clock means that other timers are wrong too. Returns a function that
 * ends the watch.
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
