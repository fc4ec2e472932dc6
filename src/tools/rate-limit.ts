import type { Clock } from '../lib/clock.ts';
import { Remembered } from '../lib/remembered.ts';
import { durationWords } from '../lib/time-words.ts';
import { matchesAny } from './tool-pattern.ts';

/** So many calls in any stretch of so much time, in milliseconds. */
export interface RateLimit {
  readonly calls: number;
  readonly per: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** For so many pairs of a tool and a person calls are counted; those that called least lately begin at nothing. */
const mostCounted = 10_000;

/**
 * Bounds how often one person may have one tool called. It counts in memory only: a new process begins at nothing.
 * `limits`: by a pattern of tool names. Every pattern that fits bounds each of its tools on its own.
 */
export function createRateLimiter(clock: Clock, limits: Readonly<Record<string, RateLimit>>) {
  /** When the calls were that still count, in milliseconds. */
  const counted = new Remembered<string, number[]>(mostCounted);
  return {
    /** Counts a call. If it is one too many, it is not counted: the words tell the model why, and when it may try again. */
    take(toolName: string, principal: string): string | undefined {
      const now = clock.now();
      const bounds = Object.entries(limits)
        .filter(([pattern]) => matchesAny([pattern], toolName))
        .map(([pattern, { calls, per }]) => {
          const key = JSON.stringify([pattern, toolName, principal, calls, per]);
          const times = counted.get(key) ?? [];
          counted.set(key, times);
          // A clock that was set back lets everybody start over.
          const first = (times.at(-1) ?? now) > now ? -1 : times.findIndex((time) => time + per > now);
          times.splice(0, first === -1 ? times.length : first);
          const wait = times.length < calls ? 0 : (times[0] ?? now) + per - now;
          return { calls, per, times, wait };
        });
      // What is free last says how long to wait.
      const [latest] = bounds.toSorted((a, b) => b.wait - a.wait);
      if (latest !== undefined && latest.wait > 0) return refusal(toolName, latest);
      for (const { times } of bounds) times.push(now);
      return undefined;
    },
  };
}

function refusal(toolName: string, { calls, per, wait }: RateLimit & { readonly wait: number }): string {
  const times = calls === 1 ? 'once' : `${calls} times`;
  // Never less than it is.
  const pause = durationWords(wait < 60_000 ? Math.ceil(wait / 1000) * 1000 : wait + 59_999);
  return `${toolName} may be called ${times} in ${durationWords(per)} for one person, and has been. It can be called again in ${pause}; until then, do without it.`;
}
