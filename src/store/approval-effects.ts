import type { CallDraft } from '../agent/run-store.ts';
import type { Approval, ApprovalDraft } from '../approval/approval.ts';
import { alreadyAwaitingResult } from '../approval/call-results.ts';
import { cancelledCard } from '../approval/card.ts';
import type { Tables } from './tables/tables.ts';

/** Stores a question to people, and the cards that ask it. Belongs inside a write. */
export function addApproval({ approvals, outbox, audit }: Tables, { approval, cards }: ApprovalDraft): void {
  const { id: approvalId, callId, conversationId, createdAt: at, toolName, hash } = approval;
  const ties = { approvalId, ...(callId === undefined ? {} : { callId }) };
  approvals.add(approval);
  for (const card of cards) outbox.add(card, at, ties);
  const detail = { tool: toolName, hash };
  audit.add({
    at,
    kind: 'approval-asked',
    conversationId,
    actor: approval.requester,
    ...callOf(approval),
    approvalId,
    detail,
  });
}

/** The call; not asked for once more if another run has asked for the very same since it was judged. Belongs inside a write. */
export function unlessAsked({ approvals }: Tables, call: CallDraft): CallDraft {
  const asked = call.approval?.approval;
  if (asked === undefined || asked.question !== undefined) return call;
  const { conversationId, hash, requester } = asked;
  const twin = approvals.pending(conversationId).find((one) => one.hash === hash && one.requester === requester);
  if (twin === undefined) return call;
  const { approval: _notAsked, ...rest } = call;
  return { ...rest, state: 'done', result: { outcome: 'refused', text: alreadyAwaitingResult(twin.id) } };
}

/** What was asked for a call is not asked any more. Tells where its cards stand. Belongs inside a write. */
export function cancelApproval(
  { approvals, outbox, audit }: Tables,
  callId: string,
  { by, at }: { readonly by: string; readonly at: number },
): readonly string[] {
  const approval = approvals.pendingOfCall(callId);
  if (approval === undefined) return [];
  const { id: approvalId, conversationId, toolName } = approval;
  approvals.end(approvalId, 'cancelled', by, at);
  outbox.changeCards(approvalId, cancelledCard(approval));
  const detail = { tool: toolName };
  audit.add({ at, kind: 'approval-cancelled', conversationId, actor: by, callId, approvalId, detail });
  return approval.places;
}

/** The call that an approval is about, as the audit names it. */
export function callOf({ callId, question }: Approval): { readonly callId?: string } {
  const id = callId ?? question?.duringCall;
  return id === undefined ? {} : { callId: id };
}
