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
 * it holds is bounded by the persons and tools of the longest window, and not by how many calls there were.
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

/** More calls than that are counted in as many steps: then a call may be held to be younger by a step than it is. */
const mostSteps = 64;

/** The calls of the last `per` milliseconds, in at most 66 entries. */
class Window {
  readonly #limit: RateLimit;
  readonly #step: number;
  #entries: readonly { readonly from: number; readonly to: number; readonly count: number }[] = [];

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#step = limit.calls <= mostSteps ? 0 : limit.per / mostSteps;
  }

  /** How long until there may be another call, in milliseconds. */
  wait(now: number): number {
    this.#forget(now);
    const count = this.#entries.reduce((sum, entry) => sum + entry.count, 0);
    const [oldest] = this.#entries;
    return oldest === undefined || count < this.#limit.calls ? 0 : oldest.to + this.#limit.per - now;
  }

  add(now: number): void {
    const last = this.#entries.at(-1);
    if (last !== undefined && now - last.from < this.#step) {
      this.#entries = [...this.#entries.slice(0, -1), { ...last, to: now, count: last.count + 1 }];
      return;
    }
    this.#entries = [...this.#entries, { from: now, to: now, count: 1 }];
  }

  isIdle(now: number): boolean {
    this.#forget(now);
    return this.#entries.length === 0;
  }

  /** A clock that was set back lets everybody start over. */
  #forget(now: number): void {
    const isSetBack = (this.#entries.at(-1)?.to ?? now) > now;
    this.#entries = isSetBack ? [] : this.#entries.filter(({ to }) => to + this.#limit.per > now);
  }
}
