import type { ApprovalDraft } from '../approval/approval.ts';
import { cancelledCard } from '../approval/card.ts';
import type { Tables } from './tables/tables.ts';

/** A run asks to go on beyond one of its bounds. Belongs inside a write. */
export function addExtension(
  { approvals, outbox, audit, conversations }: Tables,
  { approval, cards }: ApprovalDraft,
): void {
  const { id: approvalId, conversationId, requester: actor, createdAt: at, extension } = approval;
  if (extension === undefined) throw new Error(`the approval ${approvalId} asks for no extension`);
  const { runId, bound, until } = extension;
  approvals.add(approval);
  for (const card of cards) outbox.add(card, at, { approvalId });
  conversations.ask(conversationId, runId);
  audit.add({ at, kind: 'extension-asked', conversationId, actor, approvalId, detail: { run: runId, bound, until } });
}

/**
 * Calls off what the run of a conversation has asked for, to go on beyond its bounds, and that nobody has decided yet.
 * Tells where its cards stand. Belongs inside a write.
 */
export function callOffExtensions(
  { conversations, approvals, outbox, audit }: Tables,
  conversationId: string,
  by: string,
  at: number,
): readonly string[] {
  const askingRun = conversations.find(conversationId)?.askingRun;
  if (askingRun === undefined) return [];
  const ended = approvals
    .ofRun(conversationId, askingRun)
    .filter(({ id, state }) => state === 'pending' && approvals.end(id, 'cancelled', by, at));
  for (const approval of ended) {
    const { id: approvalId, toolName } = approval;
    outbox.changeCards(approvalId, cancelledCard(approval));
    const detail = { tool: toolName };
    audit.add({ at, kind: 'approval-cancelled', conversationId, actor: by, approvalId, detail });
  }
  return ended.flatMap(({ places }) => places);
}
