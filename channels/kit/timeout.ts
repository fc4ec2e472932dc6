import type { Clock } from '../../src/lib/clock.ts';

export interface TimeoutOptions {
  readonly clock: Clock;
  /** Timeout of the request. */
  readonly milliseconds: number;
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
}

/** A request with a timeout: a connection can die silently. */
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
