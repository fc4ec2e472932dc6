/*
 * A message that keeps failing while its platform accepts others is parked: a stub takes its place until a person says
 * whether to retry. Where not even a stub is accepted, the message is held: when the chat takes messages again, it is
 * offered there. Nothing is parked unless a stub got through or was refused.
 */

import { ChannelError } from '../contract.ts';
import { newId } from '../lib/ids.ts';
import { type InLanguage, wordsIn } from '../lib/words.ts';
import { offerOf, ownersText, silenceText, stubOf } from '../words/stub.ts';
import { type Attempt, failingFor, failingSince, isRefusal, markFailed, note, reasonFor, showRow } from './attempt.ts';
import type { OutboxRow } from './outbox.ts';
import { tellDelivered } from './show.ts';

/**
 * When to try the stub: after so many failures with the same words, or with any words, over this time (in ms). With a
 * fifth of all requests failing at random, five failures in a row happen, but not five alike. A proxy that blocks a
 * message usually objects to its content, but a bad minute of the proxy must not park anything.
 */
const enough = { alike: 5, tries: 8, time: 30_000, timeOfBlocked: 10_000 } as const;

/** Owners are told when a chat accepts nothing for this long while others on its channel do, in ms. */
const longestSilence = 600_000;

/** Whether to test with the stub. Under a rate limit, only messages accepted meanwhile show that the chat works. */
export function isEnough(failure: ChannelError, attempt: Attempt): boolean {
  const { fault } = failure;
  const { row, lane, delivery } = attempt;
  const alike = row.failures > 0 && row.failure === reasonFor(failure, attempt) ? row.failuresAlike + 1 : 1;
  if (isRefusal(fault, attempt)) return true;
  if (fault.type === 'transient' && fault.isUnsent === true) return false;
  if (fault.type === 'rate-limited' && !delivery.tracks.hasShownSince(lane, failingSince(attempt))) return false;
  const isBlocked = fault.type === 'transient' && fault.isBlocked === true;
  const isOften = alike >= enough.alike || row.failures + 1 >= enough.tries;
  return isOften && failingFor(attempt) >= (isBlocked ? enough.timeOfBlocked : enough.time);
}

/**
 * Tries the stub in place of the message. True if the message needs no pause: it is done or parked, or the platform has
 * just accepted the stub, and the message gets another try in case everything works again.
 */
export async function tryStub(failure: ChannelError, attempt: Attempt): Promise<boolean> {
  const { row, signal } = attempt;
  if (signal.aborted) return false;
  if (row.stubOf !== undefined) {
    await giveUpStub(attempt);
    return true;
  }
  if (row.isMovedOn) {
    await markFailed(failure, attempt);
    return true;
  }
  const stub = await stubFor(reasonFor(failure, attempt), attempt);
  switch (await showStub(stub, attempt)) {
    case 'shown':
      return true;
    case 'failed':
      return false;
    case 'refused':
      if (isOffered(row)) await hold(stub, failure, attempt);
      else if (isRefusal(failure.fault, attempt)) await markFailed(failure, attempt);
      else await park(stub, failure, attempt);
      return true;
    case 'stands':
      await park(stub, failure, attempt);
      return true;
  }
}

/** Whether people miss it when they are back. What tools did, or what became of a card, is over then. */
function isOffered({ kind }: OutboxRow): boolean {
  return kind === 'reply' || kind === 'for_user' || kind === 'notice';
}

/** A stub has no stub. What it stands for stays parked, and can be retried by typing. */
async function giveUpStub(attempt: Attempt): Promise<void> {
  const { delivery, row } = attempt;
  await note(() => delivery.outbox.stubRefused(row.message.id), attempt);
  delivery.holding.add(row.conversationId);
  delivery.refusing.add(row.conversationId);
}

/** The stored stub of the message. One that has failed before says less. */
async function stubFor(reason: string, { delivery, row }: Attempt): Promise<OutboxRow> {
  const { message, conversationId } = row;
  const { outbox, clock } = delivery;
  const { language } = delivery.readerIn(conversationId);
  const facts = { id: newId(8), reason, isBare: false };
  const stub = await outbox.standIn(message.id, { conversationId, message: stubOf(row, facts, language) }, clock.now());
  if (stub.failures === 0) return stub;
  const bare = stubOf(row, { id: stub.message.id, reason, isBare: true }, language);
  return outbox.standIn(message.id, { conversationId, message: bare }, clock.now());
}

/** `stands`: it was shown before · `refused`: for good · `failed`: it may be accepted later. */
async function showStub(stub: OutboxRow, attempt: Attempt): Promise<'stands' | 'shown' | 'refused' | 'failed'> {
  if (stub.deliveredRevision > 0) return 'stands';
  try {
    await showRow(stub, attempt);
    return 'shown';
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    const { outbox, clock } = attempt.delivery;
    const { type } = error.fault;
    // Its words may be what is refused; with a lost answer they are not.
    if (type === 'transient' || type === 'permanent')
      await outbox.tried(stub.message.id, stub.revision, reasonFor(error, attempt), clock.now());
    return isRefusal(error.fault, attempt) ? 'refused' : 'failed';
  }
}

/** The chat accepts not even the stub. It is shown once the chat accepts something else. */
async function hold(stub: OutboxRow, failure: ChannelError, attempt: Attempt): Promise<void> {
  const { delivery, row, adapter } = attempt;
  const { message, conversationId } = row;
  const { outbox, live, log, clock } = delivery;
  const offer = offerOf(row, stub.message.id, delivery.readerIn(conversationId));
  const reason = reasonFor(failure, attempt);
  await note(() => outbox.hold(message.id, row.revision, reason, offer, clock.now()), attempt);
  tellDelivered(row, 'held', delivery);
  delivery.holding.add(conversationId);
  const fields = { message: message.id, conversation: conversationId, reason: failure.message };
  log.warn(fields, 'a message waits until its chat takes some');
  live.take(row, adapter);
  if (isRefusal(failure.fault, attempt)) tellOfSilence(failure, attempt);
  else tellOfStub(stub, { failure, hasStub: false }, attempt);
}

async function park(stub: OutboxRow, failure: ChannelError, attempt: Attempt): Promise<void> {
  const { delivery, row, adapter } = attempt;
  const { message, approvalId } = row;
  const { outbox, live, log, clock } = delivery;
  await note(() => outbox.park(message.id, row.revision, reasonFor(failure, attempt), clock.now()), attempt);
  tellDelivered(row, 'held', delivery);
  const fields = { message: message.id, conversation: row.conversationId, reason: failure.message };
  log.warn(fields, 'a message waits for a word of a person');
  live.take(row, adapter);
  if (approvalId !== undefined) delivery.cardShown(approvalId);
  tellOfStub(stub, { failure, hasStub: stub.deliveredRevision > 0 }, attempt);
}

/** Tells owners outside the chat what waits there. */
function tellOfStub(
  stub: OutboxRow,
  { failure, hasStub }: { readonly failure: ChannelError; readonly hasStub: boolean },
  { delivery, row, lane }: Attempt,
): void {
  const words: InLanguage = (language) => ownersText(stub.message.id, row, wordsIn(language, failure.words), language);
  delivery.tellOwners(words, { lane, isNotice: row.kind === 'notice', hasStub });
}

/** Whether the chat has accepted nothing for long while others on its channel have. */
export function isSilent(attempt: Attempt): boolean {
  const { delivery, row, lane } = attempt;
  if (failingFor(attempt) < longestSilence) return false;
  const since = failingSince(attempt);
  return delivery.tracks.hasShownSince(row.conversation.channel, since) && !delivery.tracks.hasShownSince(lane, since);
}

/** Tells owners once, until the chat accepts a message again. */
export function tellOfSilence(failure: ChannelError, attempt: Attempt): void {
  const { delivery, row, lane } = attempt;
  if (delivery.silent.has(lane)) return;
  delivery.silent.add(lane);
  delivery.chatRefuses(row.conversationId, reasonFor(failure, attempt));
  const words: InLanguage = (language) => silenceText(lane, wordsIn(language, failure.words), language);
  delivery.tellOwners(words, { lane, isNotice: false, hasStub: false });
}
