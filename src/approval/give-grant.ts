import { newId } from '../lib/ids.ts';
import type { Approval, Choice, Origin } from './approval.ts';
import type { Grant } from './grants.ts';

/**
 * The standing permission that comes with a decision, if one does. `window`: how long one of that kind holds, in
 * milliseconds.
 */
export function grantOf(
  { origin, approval, choice }: { readonly origin: Origin; readonly approval: Approval; readonly choice: Choice },
  now: number,
  window: number,
): Grant | undefined {
  if (!approval.grantable || (choice.type !== 'window' && choice.type !== 'always')) return undefined;
  const fields = {
    id: newId(6),
    conversationId: approval.conversationId,
    requester: approval.requester,
    toolName: approval.toolName,
    description: approval.description,
    grantedBy: origin.principal,
    createdAt: now,
  };
  return choice.type === 'window'
    ? { ...fields, kind: 'window', expiresAt: now + window }
    : { ...fields, kind: 'always', hash: approval.hash };
}
