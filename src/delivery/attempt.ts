/*
 * One attempt at a stored message: what delivery works with, how a message is shown, and what a refusal of its platform
 * means for it.
 */

import type { ChannelAdapter, ChannelError, ChannelFault, Conversation } from '../contract.ts';
import type { KeyedTurns } from '../lib/background.ts';
import { type Words, wordsIn } from '../lib/words.ts';
import { laneOf, type OutboxRow, type Tracks } from './outbox.ts';
import type { Pacer } from './pace.ts';
import { noteDown, type Sender, type SenderParts, tellDelivered } from './show.ts';
import { deliveryWords } from './words.ts';

export interface DeliveryParts extends Omit<SenderParts, 'awaitTurn'> {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  /** Called when the platform refuses a card for good. */
  readonly cardRefused: (approvalId: string) => Promise<void>;
  /** Called when a card, or its stub, is shown: its time begins. */
  readonly cardShown: (approvalId: string) => void;
  /** Called when a chat takes nothing any more. */
  readonly chatRefuses: (conversationId: string, reason: string) => void;
  /** Called when a chat got another id. Resolves once messages for the conversation go there. */
  readonly moved: (from: Conversation, chatId: string) => Promise<void>;
  /** Tells owners, in their own chats outside this one. */
  readonly tellOwners: (markdown: Words, besides: Besides) => void;
}

/** A chat in which something could not be shown. */
export interface Besides {
  readonly lane: string;
  /** A failed notice is not reported to other owners: two of them would report each other's for ever. */
  readonly isNotice: boolean;
  /** A stub in the chat says it: an owner whose own chat that is knows already, and no other is told. */
  readonly hasStub: boolean;
}

/** What all attempts share. */
export interface DeliveryContext extends DeliveryParts {
  readonly tracks: Tracks;
  readonly pacer: Pacer;
  readonly sender: Sender;
  readonly begunAt: number;
  /** Delivers what is stored for these conversations. */
  readonly wake: (conversationIds: readonly string[]) => void;
  /** Last tries run one at a time: in parallel they would tell nothing about any one message. */
  readonly lastTries: KeyedTurns;
  /** Unresponsive chats that owners were told of. */
  readonly silent: Set<string>;
  /** Conversations with held messages, and those of them that have refused an offer since they last took something. */
  readonly holding: Set<string>;
  readonly refusing: Set<string>;
}

export interface Attempt {
  readonly delivery: DeliveryContext;
  readonly row: OutboxRow;
  readonly lane: string;
  readonly adapter: ChannelAdapter;
  /** How often the chat moved since the last successful send. */
  readonly moves: number;
  /** The last error on this track. */
  readonly last: ChannelError | undefined;
  readonly signal: AbortSignal;
}

/** A chat that moves more often than this in a row is unreachable. */
export const mostMoves = 3;

/** So many held messages of a conversation are offered at once, the newest. The others can be retried by typing. */
const mostOffers = 5;

/** Shows the message of the attempt, or the stub in its place. Throws `ChannelError`. */
export async function showRow(shown: OutboxRow, { delivery, adapter, lane, signal }: Attempt): Promise<void> {
  const { sender, tracks, pacer, silent, holding, cardShown } = delivery;
  await sender.show(shown, adapter, signal);
  tracks.shown(shown);
  if (adapter.capabilities.sendPace !== undefined) pacer.sent(shown, adapter.capabilities.sendPace);
  silent.delete(lane);
  if (holding.size > 0 && shown.stubOf === undefined) await offerHeld(shown.conversationId, delivery, signal);
  if (shown.approvalId !== undefined) cardShown(shown.approvalId);
}

/** The chat accepts messages: offers there what it has refused before. A thread that refuses that is not asked again. */
async function offerHeld(accepting: string, delivery: DeliveryContext, signal: AbortSignal): Promise<void> {
  const { outbox, holding, refusing, wake } = delivery;
  refusing.delete(accepting);
  const lane = laneOf(accepting);
  const conversationIds = [...holding].filter((id) => laneOf(id) === lane && !refusing.has(id));
  for (const id of conversationIds) {
    holding.delete(id);
    await noteDown(() => outbox.offerHeld(id, mostOffers), delivery, signal);
  }
  if (conversationIds.length > 0) wake(conversationIds);
}

/** Why it was not shown, in the language of those who read the message. */
export function reasonFor({ words }: ChannelError, { delivery, row }: Attempt): string {
  return wordsIn(delivery.readerIn(row.conversationId).language, words);
}

/** Stores what became of the message, retrying for ever. */
export function note(write: () => Promise<void>, { delivery, signal }: Attempt): Promise<void> {
  return noteDown(write, delivery, signal);
}

/** The message is done: it will not be shown. */
export async function markFailed(failure: ChannelError, attempt: Attempt): Promise<void> {
  const { delivery, row } = attempt;
  const { approvalId, message, revision, conversationId } = row;
  const { outcomeUnknown } = deliveryWords[delivery.readerIn(conversationId).language];
  const isUnknown = failure.fault.type === 'ambiguous';
  const why = reasonFor(failure, attempt);
  const reason = isUnknown ? outcomeUnknown({ reason: why }) : why;
  await delivery.outbox.failed(message.id, revision, reason);
  tellDelivered(row, 'failed', delivery);
  // Nobody would ask again: the row is done.
  if (approvalId !== undefined) await note(() => delivery.cardRefused(approvalId), attempt);
  await delivery.sender.removeFiles(message.id);
}

export function failingSince({ delivery, row }: Attempt): number {
  return row.failingSince ?? delivery.clock.now();
}

/** For how long the message has failed, in ms. */
export function failingFor(attempt: Attempt): number {
  return attempt.delivery.clock.now() - failingSince(attempt);
}

/** Whether the message will not be sent again. */
export function isFinal(fault: ChannelFault, attempt: Attempt): boolean {
  const { atMostOnce, approvalId } = attempt.row;
  if (fault.type === 'ambiguous') return atMostOnce !== undefined;
  // Whoever sent it learns the outcome: a tool its result, an approval that this card is refused.
  return isRefusal(fault, attempt) && (atMostOnce !== undefined || approvalId !== undefined);
}

/** Whether the chat is said to be where the message was just sent, or somewhere else again and again. */
export function isUnreachable(fault: ChannelFault, { row, moves }: Attempt): boolean {
  return fault.type === 'moved' && (fault.chatId === row.conversation.chatId || moves >= mostMoves);
}

/** Whether the chat will never accept this message. */
export function isRefusal(fault: ChannelFault, attempt: Attempt): boolean {
  return fault.type === 'permanent' || isUnreachable(fault, attempt);
}
