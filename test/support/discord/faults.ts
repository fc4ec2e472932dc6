import { SeededRandom } from '../random.ts';
import { matchesRoute } from './route-pattern.ts';

/** How a request goes wrong. */
export type Fault =
  /** Answers an error, as the server does itself or with a body of its own. Nothing is done. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly code?: number;
      readonly message?: string;
      readonly body?: string;
    }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number; readonly global?: boolean }
  /** The connection breaks, and nothing was done. */
  | { readonly kind: 'drop-before' }
  /** It is done, and the connection breaks before the answer. */
  | { readonly kind: 'drop-after' }
  /** No answer comes until it is released, whether it was done or not. */
  | { readonly kind: 'hang'; readonly done?: boolean }
  /** A proxy on the way answers 502 with a page of HTML. Nothing is done. */
  | { readonly kind: 'html' };

export type FaultKind = Fault['kind'];

export type FaultRule = Fault & {
  /** `*` is every one; else a method and a path, as `callsOf` takes them. */
  readonly route: string;
  /** How often at most. Without limit if not set. */
  readonly times?: number;
  /** How likely, from 0 to 1; the draws follow from the seed. Always if not set. */
  readonly probability?: number;
  readonly seed?: number;
  /** For which requests, by the JSON of their bodies. */
  readonly when?: (body: unknown) => boolean;
};

/** A rule that was given, and what it has done. */
export interface ActiveFault {
  readonly fired: number;
  /** What hangs goes on hanging. */
  remove(): void;
  /** What hangs because of it is done, if it was not, and answered. */
  release(): void;
}

/** What meets a request, and the promise that a hanging one waits for. */
export interface MetFault {
  readonly fault: Fault;
  readonly released: Promise<void>;
}

interface Entry {
  readonly rule: FaultRule;
  readonly random: SeededRandom;
  readonly released: PromiseWithResolvers<void>;
  fired: number;
}

/** The rules by which requests go wrong. The first that applies is the one. */
export class Faults {
  readonly #entries: Entry[] = [];
  readonly #fired = new Map<FaultKind, number>();

  add(rule: FaultRule): ActiveFault {
    const random = new SeededRandom(rule.seed ?? 1);
    const entry: Entry = { rule, random, released: Promise.withResolvers(), fired: 0 };
    this.#entries.push(entry);
    const remove = (): void => {
      const at = this.#entries.indexOf(entry);
      if (at !== -1) this.#entries.splice(at, 1);
    };
    return {
      get fired() {
        return entry.fired;
      },
      remove,
      release: () => {
        remove();
        entry.released.resolve();
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
  next(method: string, path: string, body: unknown): MetFault | undefined {
    const entry = this.#entries.find((candidate) => applies(candidate, { method, path, body }));
    if (entry === undefined) return undefined;
    entry.fired += 1;
    this.#fired.set(entry.rule.kind, this.fired(entry.rule.kind) + 1);
    return { fault: entry.rule, released: entry.released.promise };
  }
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

function applies({ rule, random, fired }: Entry, { method, path, body }: Asked): boolean {
  if (!matchesRoute(rule.route, method, path)) return false;
  if (rule.times !== undefined && fired >= rule.times) return false;
  if (rule.when !== undefined && !rule.when(body)) return false;
  return rule.probability === undefined || random.chance(rule.probability);
}
