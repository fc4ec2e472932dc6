import type { JsonObject } from '../lib/json.ts';
import type { Grant } from './approval.ts';
import { policyReason, type Question } from './verdict.ts';

/**
 * Which rule let a call run without asking. `grant`: a saved permission · `policy-off`: nothing is asked for · `not-dangerous`: the
 * policy does not ask for such a call · `autonomous`: the mode · `allow-rule`: the operator's rule for this very call ·
 * `own-words`: the person asked for it in their own words.
 */
export const allowReasons = ['grant', 'policy-off', 'not-dangerous', 'autonomous', 'allow-rule', 'own-words'] as const;

export type AllowReason = (typeof allowReasons)[number];

/** Sources that are kept of those that were read before. */
const mostKept = 5;

/** Why a call was allowed, as it is stored with it: `why`, `unconfined`, and the newest untrusted sources that had been read, `read`. */
export function whyAllowed(question: Question, grant: Grant | undefined): JsonObject {
  const { facets = {}, labels } = question;
  return {
    why: reasonOf(question, grant),
    ...(facets.unconfined === true ? { unconfined: true } : {}),
    ...(labels.tainted ? { read: labels.sources.slice(-mostKept), reads: labels.sources.length } : {}),
  };
}

/** In the order in which `judge` looks at them. */
function reasonOf({ toolName, category, settings, facets }: Question, grant: Grant | undefined): AllowReason {
  if (grant !== undefined) return 'grant';
  if (settings.policy === 'always_allow') return 'policy-off';
  if (policyReason(settings, toolName, category) === undefined) return 'not-dangerous';
  if (settings.mode === 'autonomous') return 'autonomous';
  return facets?.allowedByRule === true ? 'allow-rule' : 'own-words';
}

/** A call, as far as it tells which rule decided about it. */
export interface JudgedCall {
  /** It asked a person something, and needed no permission. */
  readonly isQuestion: boolean;
  readonly approvalId: string | undefined;
  /** Why it was asked for, as its card said it. */
  readonly reason: string | undefined;
  readonly state: string;
  readonly outcome: string | undefined;
  /** Undefined if it was never valid. */
  readonly category: string | undefined;
  readonly result: string | undefined;
}

/** Which rule let a call run, or asked for it, or refused it. `said`: to the model. `unknown`: it was not noted. */
export type RuleBehind<Given> =
  | { readonly rule: 'question' | 'unknown' }
  | { readonly rule: Exclude<AllowReason, 'grant'> }
  | { readonly rule: 'asked'; readonly reason: string }
  | { readonly rule: 'refused' | 'invalid'; readonly said: string }
  | { readonly rule: 'grant'; readonly grant: Given };

/** `noted`: see `whyAllowed`. `grantOf` finds a saved permission. */
export function ruleBehind<Given>(
  call: JudgedCall,
  noted: JsonObject,
  grantOf: (id: string) => Given | undefined,
): RuleBehind<Given> {
  const { isQuestion, approvalId, reason = '', outcome, result: said = '', state } = call;
  if (isQuestion) return { rule: 'question' };
  if (approvalId !== undefined) return { rule: 'asked', reason };
  if (state === 'done' && outcome === 'refused') return { rule: 'refused', said };
  if (state === 'done' && call.category === undefined) return { rule: 'invalid', said };
  const grant = typeof noted.grant === 'string' ? grantOf(noted.grant) : undefined;
  if (grant !== undefined) return { rule: 'grant', grant };
  const rule = allowReasons.find((one) => one === noted.why && one !== 'grant');
  return { rule: rule === undefined || rule === 'grant' ? 'unknown' : rule };
}
