import { type ActiveFault, type CommonFault, type FaultOdds, FaultRules } from '../fault-rules.ts';
import { matchesRoute } from './route-pattern.ts';

/** How a request goes wrong. */
export type Fault =
  | CommonFault
  /** Answers an error, as the server does itself or with a body of its own. Nothing is done. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly code?: number;
      readonly message?: string;
      readonly body?: string;
    }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number; readonly global?: boolean };

export type FaultKind = Fault['kind'];

export type FaultRule = Fault &
  FaultOdds & {
    /** `*` is every one; else a method and a path, as `callsOf` takes them. */
    readonly route: string;
    /** For which requests, by the JSON of their bodies. */
    readonly when?: (body: unknown) => boolean;
  };

/** A rule that was given, and what it has done. When it is removed, what hangs goes on hanging. */
export interface ReleasableFault extends ActiveFault {
  /** What hangs because of it is done, if it was not, and answered. */
  release(): void;
}

/** What meets a request, and the promise that a hanging one waits for. */
export interface MetFault {
  readonly fault: Fault;
  readonly released: Promise<void>;
}

/** A request, as far as rules look at it. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

type ReleasableRule = FaultRule & { readonly released: Promise<void> };

/** The rules by which requests go wrong. The first that applies is the one. */
export class Faults {
  readonly #rules = new FaultRules<ReleasableRule, Asked>(isMeant);

  add(rule: FaultRule): ReleasableFault {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const active = this.#rules.add({ ...rule, released });
    const remove = (): void => active.remove();
    return {
      get fired() {
        return active.fired;
      },
      remove,
      release: () => {
        remove();
        resolve();
      },
    };
  }

  clear(): void {
    this.#rules.clear();
  }

  fired(kind: FaultKind): number {
    return this.#rules.fired(kind);
  }

  /** What goes wrong with this request, if anything; counts it. */
  next(asked: Asked): MetFault | undefined {
    const rule = this.#rules.next(asked);
    return rule && { fault: rule, released: rule.released };
  }
}

function isMeant(rule: FaultRule, { method, path, body }: Asked): boolean {
  return matchesRoute(rule.route, method, path) && (rule.when === undefined || rule.when(body));
}
