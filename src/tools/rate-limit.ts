import type { Clock } from '../lib/clock.ts';
import { Remembered } from '../lib/remembered.ts';
import { durationWords } from '../lib/time-words.ts';
import { matchesAny } from './tool-pattern.ts';

/** The most calls in any period of `per` ms. */
export interface RateLimit {
  readonly calls: number;
  readonly per: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** How many pairs of a tool and a person are counted. The least recent start over. */
const mostCounted = 10_000;

/**
 * Limits how often one person may have one tool called. Counts in memory only: a restart resets it. `limits`: by
 * patterns of tool names. Every matching pattern limits each of its tools separately.
 */
export function createRateLimiter(clock: Clock, limits: Readonly<Record<string, RateLimit>>) {
  /** The times of the calls that still count, in ms. */
  const counted = new Remembered<string, number[]>(mostCounted);
  return {
    /** Counts a call, or returns a refusal for the model: why, and when to try again. Refused calls do not count. */
    take(toolName: string, principal: string): string | undefined {
      const now = clock.now();
      const bounds = Object.entries(limits)
        .filter(([pattern]) => matchesAny([pattern], toolName))
        .map(([pattern, { calls, per }]) => {
          const key = JSON.stringify([pattern, toolName, principal, calls, per]);
          const times = counted.get(key) ?? [];
          counted.set(key, times);
          // If the clock was set back, everybody starts over.
          const first = (times.at(-1) ?? now) > now ? -1 : times.findIndex((time) => time + per > now);
          times.splice(0, first === -1 ? times.length : first);
          const wait = times.length < calls ? 0 : (times[0] ?? now) + per - now;
          return { calls, per, times, wait };
        });
      // The longest wait counts.
      const [latest] = bounds.toSorted((a, b) => b.wait - a.wait);
      if (latest !== undefined && latest.wait > 0) return refusal(toolName, latest);
      for (const { times } of bounds) times.push(now);
      return undefined;
    },
  };
}

function refusal(toolName: string, { calls, per, wait }: RateLimit & { readonly wait: number }): string {
  const times = calls === 1 ? 'once' : `${calls} times`;
  // Rounded up.
  const pause = durationWords(wait < 60_000 ? Math.ceil(wait / 1000) * 1000 : wait + 59_999);
  return `${toolName} may be called ${times} in ${durationWords(per)} for one person, and has been. It can be called again in ${pause}; until then, do without it.`;
}
