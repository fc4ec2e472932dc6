import type { Clock } from '../../src/lib/clock.ts';

export interface TimeoutOptions {
  readonly clock: Clock;
  /** After that many milliseconds the request is given up. */
  readonly milliseconds: number;
  /** Gives the request up at once. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes a request that is given up when it takes too long: a connection can die without a word, and only the clock tells. */
export async function withTimeout<Result>(
  { clock, milliseconds, signal }: TimeoutOptions,
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const callOff = clock.after(milliseconds, abort);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    return await request(controller.signal);
  } finally {
    callOff();
    signal?.removeEventListener('abort', abort);
  }
}
