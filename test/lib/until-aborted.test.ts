import { expect, test } from 'vitest';
import { untilAborted } from '../../src/lib/until-aborted.ts';

test.each([
  ['before it is waited for', true],
  ['while it is waited for', false],
])('work that fails after its signal has aborted %s is nobody’s fault', async (_when, isBefore) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const [ending, work] = [new AbortController(), Promise.withResolvers<string>()];
    if (isBefore) ending.abort();
    const waited = untilAborted(work.promise, ending.signal);
    ending.abort();
    expect(await waited).toBeUndefined();
    work.reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});
