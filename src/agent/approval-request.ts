import type { ApprovalRequest } from '../approval/broker.ts';
import { inlineCode } from '../lib/plain-text.ts';
import type { Judgement, Surroundings } from './call-judge.ts';

/** What the broker needs to ask a person for a call. */
export async function approvalRequest(
  callId: string,
  { call: { prepared, hash }, reason, grantable }: Extract<Judgement, { type: 'ask' }>,
  { scope, place, runsIn, workers }: Surroundings,
): Promise<ApprovalRequest> {
  const worker = workers?.at(-1)?.name;
  const preview = await prepared.preview(scope);
  return {
    callId,
    conversationId: scope.conversationId,
    ...(runsIn === undefined ? {} : { runsIn }),
    conversationTitle: place,
    requester: scope.sender.principal,
    requesterName: scope.sender.name,
    toolName: prepared.toolName,
    displayName: prepared.displayName,
    category: prepared.category,
    arguments: prepared.arguments,
    description: prepared.describe(scope),
    hash,
    grantable,
    reason: worker === undefined ? reason : `${reason}; ${inlineCode(worker)} calls it`,
    ...(preview === undefined ? {} : { preview }),
  };
}
