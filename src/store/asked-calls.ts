/* What the audit, and those who listen, are told of approvals. */

import { type Approval, isDangerous, type PermissionApproval, type QuestionApproval } from '../approval/approval.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ApprovalDecided } from '../telemetry.ts';
import type { Sql } from './sql.ts';

export function tellAsked(sql: Sql, approval: Approval): void {
  sql.told.tell({ type: 'approval_requested', ...toldOf(approval), isDangerous: isDangerous(approval) });
}

export function tellDecided(
  sql: Sql,
  approval: Approval,
  decision: ApprovalDecided['decision'],
  { by, at }: Pick<ApprovalDecided, 'by'> & { readonly at: number },
): void {
  const waited = Math.max(0, at - approval.createdAt);
  sql.told.tell({ type: 'approval_decided', ...toldOf(approval), decision, by, waited });
}

/** What events about it have in common. */
function toldOf(
  approval: Approval,
): Pick<ApprovalDecided, 'conversationId' | 'approvalId' | 'kind' | 'callId' | 'tool'> {
  const { id: approvalId, type: kind, conversationId, toolName: tool } = approval;
  return { conversationId, approvalId, kind, callId: callOf(approval) ?? '', tool };
}

/** The first of the calls that it is about. */
export function callOf(approval: Approval): string | undefined {
  const during = approval.type === 'question' ? approval.question.duringCall : undefined;
  return callsOf(approval)[0] ?? during;
}

/** The calls that the approval decides. */
export function callsOf(approval: Approval): readonly string[] {
  if (approval.type === 'extension' || approval.callId === undefined) return [];
  const others = approval.type === 'permission' ? (approval.asked?.others ?? []) : [];
  return [approval.callId, ...others.map(({ callId }) => callId)];
}

/** The calls, for the audit. */
export function askedCalls({ toolName: tool, hash, ...approval }: PermissionApproval | QuestionApproval): JsonObject {
  const others = approval.type === 'permission' ? approval.asked?.others : undefined;
  return {
    tool,
    hash,
    ...(others === undefined ? {} : { others: others.map((one) => ({ call: one.callId, hash: one.hash })) }),
  };
}

/** Why it was asked for, and what may be decided, for the audit. */
export function rulesThatAsk(approval: PermissionApproval | QuestionApproval): JsonObject {
  if (approval.type === 'question') return {};
  const { because = [], category = null, reads = 0 } = approval.asked ?? {};
  return { because, category, reads, grantable: approval.grantable, isDangerous: isDangerous(approval) };
}
