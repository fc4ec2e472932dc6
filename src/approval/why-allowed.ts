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
