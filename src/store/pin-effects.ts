import { type PinnedFact, pinningOf } from '../agent/pinned-facts.ts';
import type { Origin } from '../approval/approval.ts';
import type { EffectResult } from '../conversation/inbox.ts';
import type { Tables } from './tables/tables.ts';

interface PinCommand {
  readonly text: string;
  readonly origin: Origin;
  readonly at: number;
}

/** Pins a fact in the conversation of the one who wants it, unless it is pinned or there are too many. Belongs inside a write. */
export function pin(
  { conversations, pinned }: Tables,
  { text, origin, at }: PinCommand,
): Pick<EffectResult, 'pinning'> {
  const { conversationId, principal, name } = origin;
  const facts = conversations.find(conversationId)?.pinned ?? [];
  const pinning = pinningOf(text, facts);
  if (pinning.type === 'pinned') {
    pinned.set(conversationId, [...facts, { number: pinning.number, text, principal, name, at }]);
  }
  return { pinning };
}

/** Pins the fact with that number no longer, or none of them if none is named. Belongs inside a write. */
export function unpin(
  { conversations, pinned }: Tables,
  { conversationId }: Origin,
  number: number | undefined,
): Pick<EffectResult, 'unpinned'> {
  const facts = conversations.find(conversationId)?.pinned ?? [];
  const isMeant = (fact: PinnedFact): boolean => number === undefined || fact.number === number;
  const unpinned = facts.filter(isMeant);
  if (unpinned.length > 0) {
    pinned.set(
      conversationId,
      facts.filter((fact) => !isMeant(fact)),
    );
  }
  return { unpinned };
}
