/*
 * Which calls of an answer share a card. One card, and one decision, for calls that no standing permission could open: such
 * calls often come several at a time, and each had to be decided anyway. A card never hides one of its calls, and a decision
 * never lets a call run ahead of what is undecided before it.
 */

import type { PermissionApproval } from '../approval/approval.ts';
import { unreachableNotice } from '../approval/cards.ts';
import { unreachableResult } from '../words/model-words.ts';
import type { Approvals } from './decide.ts';
import type { RunScope } from './feature.ts';
import type { ApprovalDraft, CallDraft } from './journal.ts';
import { noticeIn, type OutboxDraft } from './message.ts';
import type { AskedPermission } from './request.ts';

interface AskingCall {
  readonly draft: Pick<CallDraft, 'state'>;
  /** Set if it needs a decision. */
  readonly asks?: AskedPermission;
}

/** The calls of one card. */
type JointCalls = readonly [AskedPermission, ...AskedPermission[]];

interface DraftedCard {
  readonly calls: JointCalls;
  readonly draft: ApprovalDraft<PermissionApproval>;
}

/** A card of several calls is no longer, in characters: of a longer one, a channel may show the end only as a file. */
const longestJointCard = 4000;

/**
 * Drafts the cards of the calls. Returns what they change of the calls, by call id: the first call of a card carries the
 * approval; if nobody can decide, all are refused.
 */
export async function draftCards(drafted: readonly AskingCall[], approvals: Approvals, where: RunScope) {
  const asked = new Map<string, Partial<CallDraft>>();
  const messages: OutboxDraft[] = [];
  const cards = await Promise.all(onOneCard(drafted).map((calls) => draftCard(calls, approvals, where)));
  for (const { calls, draft } of cards.flat()) {
    if (draft.approval.places.length > 0) {
      asked.set(draft.approval.callId, { approval: draft });
      continue;
    }
    const result = { outcome: 'refused', text: unreachableResult() } as const;
    for (const { callId } of calls) asked.set(callId, { state: 'done', result });
    messages.push(noticeIn(where.scope.conversationId, unreachableNotice(draft.approval)));
  }
  return { asked, messages };
}

/** Drafts one card for the calls; one for each if that would be too long. */
async function draftCard(calls: JointCalls, approvals: Approvals, where: RunScope): Promise<readonly DraftedCard[]> {
  const draft = await approvals.draftPermission(calls, where);
  const isTooLong = draft.cards.some(({ message }) => message.markdown.length > longestJointCard);
  if (calls.length === 1 || !isTooLong) return [{ calls, draft }];
  return (await Promise.all(calls.map((call) => draftCard([call], approvals, where)))).flat();
}

/** Groups the calls by card. Another card or a question between them begins a new one. */
function onOneCard(drafted: readonly AskingCall[]): readonly JointCalls[] {
  const groups: [AskedPermission, ...AskedPermission[]][] = [];
  let isOpen = false;
  for (const { draft, asks } of drafted) {
    if (draft.state !== 'awaiting') continue;
    const last = groups.at(-1);
    if (asks !== undefined && !asks.grantable && isOpen && last !== undefined) last.push(asks);
    else if (asks !== undefined) groups.push([asks]);
    isOpen = asks?.grantable === false;
  }
  return groups;
}
