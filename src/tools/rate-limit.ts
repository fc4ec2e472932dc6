import type { Clock } from '../lib/clock.ts';
import { durationWords } from '../lib/duration.ts';
import { matchesAny } from './tool-pattern.ts';

/** So many calls in any stretch of so much time, in milliseconds. */
export interface RateLimit {
  readonly calls: number;
  readonly per: number;
}

/** How often idle persons are looked for, in milliseconds. */
const sweepPause = 60_000;

/**
 * Bounds how often one person may have one tool called. It counts in memory only: a new process begins at nothing. What
 * it holds is bounded by the calls of the longest window.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #limits: Readonly<Record<string, RateLimit>>;
  readonly #windows = new Map<string, Window>();
  #nextSweep = 0;

  /** `limits`: by a pattern of tool names. Every pattern that fits bounds each of its tools on its own. */
  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: Readonly<Record<string, RateLimit>> }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Counts a call. If it is one too many, it is not counted: the words tell the model why, and when it may try again. */
  take(toolName: string, principal: string): string | undefined {
    const now = this.#clock.now();
    this.#sweep(now);
    const bounds = Object.entries(this.#limits)
      .filter(([pattern]) => matchesAny([pattern], toolName))
      .map(([pattern, limit]) => {
        const key = JSON.stringify([pattern, toolName, principal, limit.calls, limit.per]);
        const window = this.#windows.get(key) ?? new Window(limit);
        this.#windows.set(key, window);
        return { limit, window };
      });
    // What is free last says how long to wait.
    const [latest] = bounds
      .map(({ limit, window }) => ({ limit, wait: window.wait(now) }))
      .toSorted((a, b) => b.wait - a.wait);
    if (latest !== undefined && latest.wait > 0) return refusal(toolName, latest);
    for (const { window } of bounds) window.add(now);
    return undefined;
  }

  /** For how many pairs of a tool and a person something is held, once for each limit. */
  get held(): number {
    return this.#windows.size;
  }

  #sweep(now: number): void {
    if (now < this.#nextSweep && now >= this.#nextSweep - sweepPause) return;
    this.#nextSweep = now + sweepPause;
    for (const [name, window] of this.#windows) if (window.isIdle(now)) this.#windows.delete(name);
  }
}

function refusal(toolName: string, { limit, wait }: { readonly limit: RateLimit; readonly wait: number }): string {
  const times = limit.calls === 1 ? 'once' : `${limit.calls} times`;
  // Never less than it is.
  const pause = durationWords(wait < 60_000 ? Math.ceil(wait / 1000) * 1000 : wait + 59_999);
  return `${toolName} may be called ${times} in ${durationWords(limit.per)} for one person, and has been. It can be called again in ${pause}; until then, do without it.`;
}

/** When the calls of the last `per` milliseconds were, of which there are no more than the limit allows. */
class Window {
  readonly #limit: RateLimit;
  readonly #times: number[] = [];

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** How long until there may be another call, in milliseconds. */
  wait(now: number): number {
    const { calls, per } = this.#limit;
    const [oldest] = this.isIdle(now) ? [] : this.#times;
    return oldest === undefined || this.#times.length < calls ? 0 : oldest + per - now;
  }

  add(now: number): void {
    this.#times.push(now);
  }

  /** A clock that was set back lets everybody start over. */
  isIdle(now: number): boolean {
    const isSetBack = (this.#times.at(-1) ?? now) > now;
    const first = isSetBack ? -1 : this.#times.findIndex((time) => time + this.#limit.per > now);
    this.#times.splice(0, first === -1 ? this.#times.length : first);
    return this.#times.length === 0;
  }
}
