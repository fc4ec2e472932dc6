import { type Clock, sleep } from './clock.ts';

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
