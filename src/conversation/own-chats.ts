import type { Conversation } from '../contract.ts';
import { laneOf } from '../engine/outbox.ts';

/** A place where a person talks with the bot alone. */
export interface DirectChat {
  readonly conversationId: string;
  readonly conversation: Conversation;
}

/** The conversations in which to say something that is for these chats: one for each, however many threads it has. */
export function oneForEachChat(chats: readonly DirectChat[]): readonly string[] {
  const byLane = new Map<string, string>();
  for (const { conversationId } of chats) {
    const lane = laneOf(conversationId);
    if (!byLane.has(lane)) byLane.set(lane, conversationId);
  }
  return [...byLane.values()];
}
