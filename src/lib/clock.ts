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
