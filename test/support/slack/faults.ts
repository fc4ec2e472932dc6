import type { JsonObject } from '../../../src/lib/json.ts';
import { SeededRandom } from '../random.ts';

/** How a request goes wrong. */
export type Fault =
  /** Refuses with a code, as methods do: HTTP 200. Nothing is done. */
  | { readonly kind: 'error'; readonly error: string; readonly details?: JsonObject }
  /** Answers another status than 200. Nothing is done. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number }
  /** The connection breaks, and nothing was done. */
  | { readonly kind: 'drop-before' }
  /** It is done, and the connection breaks before the answer. */
  | { readonly kind: 'drop-after' }
  /** No answer comes until the hung requests are released. What was not done yet is done then. */
  | { readonly kind: 'hang'; readonly done?: boolean }
  /** A page of HTML with status 200. Nothing is done. */
  | { readonly kind: 'html' };

export type FaultKind = Fault['kind'];

export type FaultRule = Fault & {
  /** `*` is everything. */
  readonly method: string;
  /** How often at most. Without limit if not set. */
  readonly times?: number;
  /** How likely, from 0 to 1; the draws follow from the seed. Always if not set. */
  readonly probability?: number;
  readonly seed?: number;
  /** For which requests. */
  readonly when?: (params: Readonly<Record<string, unknown>>) => boolean;
};

/** A rule that was given, and what it has done. */
export interface ActiveFault {
  readonly fired: number;
  remove(): void;
}

interface Entry {
  readonly rule: FaultRule;
  readonly random: SeededRandom;
  fired: number;
}

/** The rules by which requests go wrong. The first that applies is the one. */
export class Faults {
  readonly #entries: Entry[] = [];
  readonly #fired = new Map<FaultKind, number>();

  add(rule: FaultRule): ActiveFault {
    const entry: Entry = { rule, random: new SeededRandom(rule.seed ?? 1), fired: 0 };
    this.#entries.push(entry);
    return {
      get fired() {
        return entry.fired;
      },
      remove: () => {
        const at = this.#entries.indexOf(entry);
        if (at !== -1) this.#entries.splice(at, 1);
      },
    };
  }

  clear(): void {
    this.#entries.length = 0;
  }

  fired(kind: FaultKind): number {
    return this.#fired.get(kind) ?? 0;
  }

  /** What goes wrong with this request, if anything; counts it. */
  next(method: string, params: Readonly<Record<string, unknown>>): Fault | undefined {
    const entry = this.#entries.find((candidate) => applies(candidate, method, params));
    if (entry === undefined) return undefined;
    entry.fired += 1;
    this.#fired.set(entry.rule.kind, this.fired(entry.rule.kind) + 1);
    return entry.rule;
  }
}

function applies({ rule, random, fired }: Entry, method: string, params: Readonly<Record<string, unknown>>): boolean {
  if (rule.method !== '*' && rule.method !== method) return false;
  if (rule.times !== undefined && fired >= rule.times) return false;
  if (rule.when !== undefined && !rule.when(params)) return false;
  return rule.probability === undefined || random.chance(rule.probability);
}
