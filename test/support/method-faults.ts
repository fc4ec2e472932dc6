import { type FaultOdds, FaultRules } from './fault-rules.ts';

/** Which requests a rule is meant for, where a platform names them by methods. */
export interface MethodCondition {
  /** `*` is everything; capitals are like small letters. */
  readonly method: string;
  readonly when?: (params: Readonly<Record<string, unknown>>) => boolean;
}

/** A request, as far as rules look at it. */
export interface AskedMethod {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A rule of such a platform, by its own kinds of faults. */
export type MethodRule<Fault extends { readonly kind: string }> = Fault & FaultOdds & MethodCondition;

export type MethodFaults<Fault extends { readonly kind: string }> = FaultRules<MethodRule<Fault>, AskedMethod>;

/** No rules yet. */
export function methodFaults<Fault extends { readonly kind: string }>(): MethodFaults<Fault> {
  return new FaultRules<MethodRule<Fault>, AskedMethod>(isMeant);
}

function isMeant(rule: MethodCondition, { method, params }: AskedMethod): boolean {
  if (rule.method !== '*' && rule.method.toLowerCase() !== method.toLowerCase()) return false;
  return rule.when === undefined || rule.when(params);
}
