import { SeededRandom } from './random.ts';

/** How a request to any platform goes wrong. */
export type CommonFault =
  /** The connection breaks, and nothing was done. */
  | { readonly kind: 'drop-before' }
  /** It is done, and the connection breaks before the answer. */
  | { readonly kind: 'drop-after' }
  /** No answer comes, whether it was done or not. Where it can be released, what was not done yet is done then. */
  | { readonly kind: 'hang'; readonly done?: boolean }
  /** A page of HTML comes in place of an answer, as from a proxy. Nothing is done. */
  | { readonly kind: 'html' };

/** How often a rule applies to the requests that it is meant for. */
export interface FaultOdds {
  /** How often at most. Without limit if not set. */
  readonly times?: number;
  /** How likely, from 0 to 1; the draws follow from the seed. Always if not set. */
  readonly probability?: number;
  readonly seed?: number;
}

/** A rule that was given, and what it has done. */
export interface ActiveFault {
  readonly fired: number;
  remove(): void;
}

interface Entry<Rule> {
  readonly rule: Rule;
  readonly random: SeededRandom;
  fired: number;
}

/** The rules by which a fake server's requests go wrong. The first that applies is the one. */
export class FaultRules<Rule extends FaultOdds & { readonly kind: string }, Asked> {
  readonly #isMeant: (rule: Rule, asked: Asked) => boolean;
  readonly #entries: Entry<Rule>[] = [];
  readonly #fired = new Map<Rule['kind'], number>();

  /** Takes what says whether a rule is meant for a request. It is not asked of a rule that has fired often enough. */
  constructor(isMeant: (rule: Rule, asked: Asked) => boolean) {
    this.#isMeant = isMeant;
  }

  add(rule: Rule): ActiveFault {
    const entry: Entry<Rule> = { rule, random: new SeededRandom(rule.seed ?? 1), fired: 0 };
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

  /** How many requests went wrong in that way. */
  fired(kind: Rule['kind']): number {
    return this.#fired.get(kind) ?? 0;
  }

  /** What goes wrong with this request, if anything; counts it. */
  next(asked: Asked): Rule | undefined {
    const entry = this.#entries.find((candidate) => this.#applies(candidate, asked));
    if (entry === undefined) return undefined;
    const { kind }: { readonly kind: Rule['kind'] } = entry.rule;
    entry.fired += 1;
    this.#fired.set(kind, this.fired(kind) + 1);
    return entry.rule;
  }

  #applies({ rule, random, fired }: Entry<Rule>, asked: Asked): boolean {
    if (rule.times !== undefined && fired >= rule.times) return false;
    if (!this.#isMeant(rule, asked)) return false;
    return rule.probability === undefined || random.chance(rule.probability);
  }
}

/** A rule where a platform names requests by methods: `*` is everything; capitals are like small letters. */
export type MethodRule<Fault extends { readonly kind: string }> = Fault &
  FaultOdds & { readonly method: string; readonly when?: (params: Readonly<Record<string, unknown>>) => boolean };

/** No rules yet. */
export function methodFaults<Fault extends { readonly kind: string }>() {
  return new FaultRules<
    MethodRule<Fault>,
    { readonly method: string; readonly params: Readonly<Record<string, unknown>> }
  >(
    ({ method: wanted, when }, { method, params }) =>
      (wanted === '*' || wanted.toLowerCase() === method.toLowerCase()) && (when?.(params) ?? true),
  );
}
