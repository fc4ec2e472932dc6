import { newId } from '../lib/ids.ts';
import type { Approval, Ending } from './approval.ts';
import { expiredCard } from './card.ts';
import { unansweredExtension } from './extension-card.ts';

/** How it ends that a run asks to go on, and nobody decides. */
export function extensionEnding(approval: Approval): Ending {
  const message = { id: newId(20), kind: 'notice' as const, markdown: unansweredExtension(approval) };
  const notice = { conversationId: approval.conversationId, message };
  return { approval, outcome: expiredCard(approval), result: '', notice };
}
