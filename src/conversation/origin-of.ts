import type { Origin } from '../approval/approval.ts';
import { type InboundEvent, principalOf } from '../contract.ts';

/** Who did what comes in, and where: in the conversation that has this name here. */
export function originOf(event: InboundEvent, conversationId: string): Origin {
  const { conversation, sender } = event;
  return {
    // A channel's keys are its own: another one may use the same.
    key: `${conversation.channel}:${event.key}`,
    conversation,
    conversationId,
    principal: principalOf(conversation.channel, sender.id),
    name: sender.name,
    ...(sender.roles === undefined ? {} : { roles: sender.roles }),
    ...(event.type === 'message' && event.privateTo !== undefined ? { privateTo: event.privateTo } : {}),
  };
}
