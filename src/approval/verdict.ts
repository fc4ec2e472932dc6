import type { ToolCategory } from '../tools/category.ts';
import type { CallFacets } from '../tools/facets.ts';
import { matchesAny } from '../tools/tool-pattern.ts';
import { type Grant, matchingGrant } from './grants.ts';
import { type ApprovalSettings, modePermits, policyAsks } from './policy.ts';
import { type Labels, taintReason } from './taint.ts';

/** All that a verdict depends on. */
export interface Question {
  readonly toolName: string;
  readonly category: ToolCategory;
  /** See `callHash`. */
  readonly hash: string;
  readonly facets?: CallFacets;
  /** The words of a deny rule that forbids this call, if one does. */
  readonly forbidden?: string;
  readonly labels: Labels;
  /** The requester's grants in this conversation. */
  readonly grants: readonly Grant[];
  readonly settings: ApprovalSettings;
  readonly now: number;
}

export type Verdict =
  | { readonly type: 'allow'; readonly grant?: Grant }
  /** The reason is for the model. No approval opens it. */
  | { readonly type: 'deny'; readonly reason: string }
  /** The reason is for the approver. `grantable`: a standing permission may be given. */
  | { readonly type: 'ask'; readonly reason: string; readonly grantable: boolean };

/** Judges one call. The first rule that fits decides; nothing outside the question matters. */
export function judge(question: Question): Verdict {
  const { toolName, category, settings, labels } = question;
  if (question.forbidden !== undefined) return { type: 'deny', reason: question.forbidden };
  if (!modePermits(settings.mode, category)) return { type: 'deny', reason: observerRefusal(toolName, category) };

  const taint = settings.taint === 'off' ? undefined : taintReason(labels, category, question.facets);
  if (taint !== undefined && settings.taint === 'deny') return { type: 'deny', reason: `Not allowed: ${taint}.` };
  if (taint !== undefined) return { type: 'ask', reason: taint, grantable: false };

  if (category === 'destructive' && settings.policy !== 'always_allow') {
    return { type: 'ask', reason: 'it may destroy something for good', grantable: false };
  }
  const reason = reasonToAsk(question);
  if (reason === undefined) return { type: 'allow' };
  const grant = matchingGrant(question.grants, question, question.now);
  return grant === undefined ? { type: 'ask', reason, grantable: true } : { type: 'allow', grant };
}

function reasonToAsk({ toolName, category, settings, facets = {} }: Question): string | undefined {
  if (settings.mode === 'autonomous') {
    if (settings.policy === 'always_allow') return undefined;
    if (matchesAny(settings.requireFor, toolName)) return `\`require_for\` names ${toolName}`;
    return facets.unconfined === true ? 'nothing but your look at it keeps it in its bounds' : undefined;
  }
  // What is dangerous by its kind may be harmless in one case; what is named to be asked for always asks.
  if (facets.allowedByRule === true && settings.policy === 'require_for_dangerous') return undefined;
  return policyAsks(settings, toolName, category) ? policyReason(settings, toolName, category) : undefined;
}

function policyReason(settings: ApprovalSettings, toolName: string, category: ToolCategory): string {
  switch (settings.policy) {
    case 'always_allow':
    case 'always_require':
      return 'every call is asked for';
    case 'require_for_tools':
      return `\`require_for\` names ${toolName}`;
    case 'require_for_dangerous':
      return matchesAny(settings.dangerousTools, toolName)
        ? `${toolName} is a dangerous tool`
        : `its category, ${category}, is dangerous`;
  }
}

function observerRefusal(toolName: string, category: ToolCategory): string {
  return `Refused: ${toolName} (${category}) is not available in observer mode, which only reads. Nobody was asked. The operator can change agent.mode.`;
}
