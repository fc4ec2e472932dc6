import type { Route } from './route.ts';
import type { DiscordTimes } from './times.ts';

/** How often a route may be asked in each window, for each channel, guild or webhook. */
interface Window {
  startedAt: number;
  used: number;
}

/** What the headers of an answer tell of its bucket. Times are in milliseconds. */
export interface BucketState {
  readonly bucket: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetAfter: number;
}

export type Allowance =
  | { readonly isAllowed: true; readonly state: BucketState | undefined }
  | {
      readonly isAllowed: false;
      readonly state: BucketState | undefined;
      readonly isGlobal: boolean;
      readonly retryAfter: number;
    };

interface Dependencies {
  readonly times: DiscordTimes;
  readonly now: () => number;
}

const otherRoutes = { requests: 20, windowMs: 1_000 };
const globalWindow = 1_000;

/** The buckets of the REST side. */
export class RateLimits {
  readonly #dependencies: Dependencies;
  readonly #windows = new Map<string, Window>();
  readonly #invalid: number[] = [];
  /** How many requests of all routes in a second. */
  globalLimit = 50;
  /** How many requests may fail with 401, 403 or 429 in ten minutes before the address is shut out. */
  invalidLimit = 10_000;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Counts a request, unless it is one too many. */
  take(route: Route, major: string): Allowance {
    if (route.isOpen === true) return { isAllowed: true, state: undefined };
    const general = this.#state('global', this.globalLimit, globalWindow);
    if (general.remaining === 0)
      return { isAllowed: false, state: undefined, isGlobal: true, retryAfter: general.resetAfter };
    const { requests, windowMs } = route.limit ?? otherRoutes;
    const key = `${route.method} ${route.template} ${major}`;
    const state = this.#state(key, requests, windowMs);
    if (state.remaining === 0) return { isAllowed: false, state, isGlobal: false, retryAfter: state.resetAfter };
    this.#use('global');
    this.#use(key);
    return { isAllowed: true, state: { ...state, remaining: state.remaining - 1 } };
  }

  countInvalid(): void {
    this.#invalid.push(this.#dependencies.now());
  }

  /** How many requests were invalid in the last ten minutes. */
  get invalidRequests(): number {
    const since = this.#dependencies.now() - this.#dependencies.times.invalidRequests;
    return this.#invalid.filter((at) => at >= since).length;
  }

  get isShutOut(): boolean {
    return this.invalidRequests >= this.invalidLimit;
  }

  #state(key: string, limit: number, windowMs: number): BucketState {
    const { times, now } = this.#dependencies;
    const length = windowMs * times.rateScale;
    const known = this.#windows.get(key);
    const window = known !== undefined && now() - known.startedAt < length ? known : { startedAt: now(), used: 0 };
    this.#windows.set(key, window);
    const resetAfter = window.startedAt + length - now();
    return { bucket: bucketName(key), limit, remaining: Math.max(0, limit - window.used), resetAfter };
  }

  #use(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.used += 1;
  }
}

/** Buckets have names that mean nothing, the same for every channel. */
function bucketName(key: string): string {
  const route = key.split(' ').slice(0, 2).join(' ');
  return Buffer.from(route).toString('hex').slice(0, 40);
}
