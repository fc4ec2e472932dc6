import { randomBytes } from 'node:crypto';
import type { Approval, Choice } from '../../approval/approval.ts';
import { denial } from '../../approval/asking/card-buttons.ts';
import { describeApproval } from '../../approval/cards.ts';
import type { Origin } from '../../engine/message.ts';
import { oneLine, unmarked } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import type { LocalParts } from './local-parts.ts';
import { machineChannel, machinePrincipal, machineUser } from './machine.ts';
import { type LocalRequest, RefusedRequest } from './protocol.ts';
import { localWords } from './words.ts';

/** An open card, for a list. */
export interface ListedApproval {
  readonly id: string;
  readonly type: Approval['type'];
  readonly what: string;
  readonly tool: string;
  readonly requester: string;
  readonly requesterName: string;
  readonly conversation: string;
  readonly createdAt: number;
  /** Undefined while no card was shown. */
  readonly expiresAt: number | undefined;
}

/** More are not listed. */
const mostListed = 200;
const longestDescription = 300;

/** What waits for a decision, the oldest first. */
export async function openApprovals(
  language: Language,
  { services }: Pick<LocalParts, 'services'>,
): Promise<readonly ListedApproval[]> {
  const { store, redact } = services;
  const pending = (await store.approvals.pending()).toSorted((one, other) => one.createdAt - other.createdAt);
  return pending.slice(0, mostListed).map((approval) => ({
    id: approval.id,
    type: approval.type,
    what: redact(whatOf(approval, language)),
    tool: approval.toolName,
    requester: approval.requester,
    requesterName: approval.requesterName,
    conversation: approval.conversationId,
    createdAt: approval.createdAt,
    expiresAt: approval.shownAt === undefined ? undefined : approval.expiresAt,
  }));
}

/** How a decision ended. */
export interface Decided {
  readonly id: string;
  readonly state: Approval['state'];
  readonly what: string;
}

/** Decides as a press does, with the same checks and effects. Rejects with `RefusedRequest` if it changes nothing. */
export async function decideAtMachine({ params, language }: LocalRequest, { services }: LocalParts): Promise<Decided> {
  const { approvals, store, redact } = services;
  const words = localWords[language];
  const { id, verdict, reason = '' } = params;
  if (typeof id !== 'string' || (verdict !== 'approve' && verdict !== 'deny') || typeof reason !== 'string')
    throw new RefusedRequest(
      'wrong-params',
      'decide needs "id", a "verdict" of approve or deny, and may have a "reason"',
    );
  const approval = await store.approvals.find(id.toLowerCase());
  if (approval === undefined) throw new RefusedRequest('refused', words.noApproval({ id }));
  if (approval.type === 'question') throw new RefusedRequest('refused', words.isQuestion({ id }));
  const choice: Choice = verdict === 'approve' ? { type: 'once' } : denial(reason);
  const objection = await approvals.decide(originOf(approval, language), approval.id, choice);
  const now = await store.approvals.find(approval.id);
  if (objection !== undefined)
    throw new RefusedRequest('refused', redact(oneLine(unmarked(objection), longestDescription)));
  return {
    id: approval.id,
    state: now?.state ?? approval.state,
    what: redact(whatOf(approval, language)),
  };
}

function whatOf(approval: Approval, language: Language): string {
  return oneLine(unmarked(describeApproval(approval, language, longestDescription)), longestDescription);
}

/** The person at the machine, as if they had pressed on the card. */
function originOf({ conversationId, cardConversationIds }: Approval, language: Language): Origin {
  return {
    key: `machine-${randomBytes(12).toString('hex')}`,
    conversation: { channel: machineChannel, chatId: 'local', kind: 'direct' },
    conversationId: cardConversationIds[0] ?? conversationId,
    principal: machinePrincipal,
    name: machineUser(),
    isAtMachine: true,
    language,
  };
}
