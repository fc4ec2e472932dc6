/*
 * Delivery. Each chat has two tracks, so that a file that fails holds up no card. A message is retried until the platform
 * answers: with growing pauses while it refuses, once more if the outcome is unknown. A message that keeps failing while
 * the platform accepts others is parked (`park.ts`): a stub takes its place until a person says whether to retry. All
 * counts are stored in the row.
 */

import { ChannelError } from '../contract.ts';
import { KeyedTurns, KeyedWorker } from '../lib/background.ts';
import { sleep } from '../lib/clock.ts';
import type { InLanguage } from '../lib/words.ts';
import {
  type Attempt,
  type DeliveryContext,
  type DeliveryParts,
  failingFor,
  isFinal,
  isUnreachable,
  markFailed,
  mostMoves,
  note,
  reasonFor,
  showRow,
} from './attempt.ts';
import { createTracks, keysOf, laneOf, type OutboxRow, type Recovered, trackOf } from './outbox.ts';
import { createPacer, createTurns, type Turns } from './pace.ts';
import { isEnough, isSilent, tellOfSilence, tryStub } from './park.ts';
import { createSender } from './show.ts';
import { deliveryWords } from './words.ts';

export interface Delivery {
  /**
   * Finds what an earlier process left, and removes its leftover files. Call before anything can come in. `isSuspicious`:
   * what it was sending may have killed it. Default: true.
   */
  recover(isSuspicious?: boolean): Promise<Recovered>;
  /** Delivers what is stored for these conversations. Returns at once. */
  wake(conversationIds: readonly string[]): void;
  /** The platform is reachable again: ends the pauses. */
  revive(channel: string): void;
  /** Whether something is being delivered in the conversation's chat. */
  isBusy(conversationId: string): boolean;
  whenIdle(conversationId: string): Promise<void>;
  /** Starts no new send; resolves when those in flight end. The rest stays stored. */
  stop(): Promise<void>;
}

/** Pause after an error of our own, such as a full disk, in ms. */
const afterOwnFault = 30_000;

/** For so long the platform may rate-limit one message before the stub is tried, in ms. */
const longestPatience = 900_000;

/** A message that may have killed this many processes is not sent. */
const mostKills = 3;

/** A message that kills the process does so within this time. A longer send is just waiting for the platform. In ms. */
const longestDeath = 2_000;

/**
 * Delivers stored messages, chats in parallel. A message waits for earlier ones in its chat: on its own track until they are
 * delivered, on the other track for a few seconds. An at-most-once message with an unknown outcome is never sent again.
 */
export function createDelivery(parts: DeliveryParts): Delivery {
  const { outbox, clock } = parts;
  const tracks = createTracks(outbox, clock, parts.settings);
  const pacer = createPacer(clock);
  const turns = createTurns(pacer, tracks);
  const lanes = new KeyedWorker((key, signal) => workOn(key, { delivery, turns }, signal));
  const delivery: DeliveryContext = {
    ...parts,
    tracks,
    pacer,
    sender: createSender({ ...parts, awaitTurn: turns.awaitTurn }),
    begunAt: clock.now(),
    wake: (conversationIds) => wakeLanes(lanes, conversationIds),
    lastTries: new KeyedTurns(),
    silent: new Set(),
    holding: new Set(),
    refusing: new Set(),
  };
  return {
    recover: (isSuspicious = true) => recover(isSuspicious, delivery),
    wake: delivery.wake,
    revive: tracks.revive,
    isBusy: (conversationId) => isBusy(lanes, conversationId),
    whenIdle: (conversationId) => whenIdle(lanes, conversationId),
    async stop() {
      lanes.abortAll('stopping');
      await lanes.close();
    },
  };
}

async function recover(isSuspicious: boolean, { outbox, clock, holding, sender }: DeliveryContext): Promise<Recovered> {
  const recovered = await outbox.recover(clock.now(), isSuspicious);
  for (const conversationId of recovered.held) holding.add(conversationId);
  await sender.removeLeftovers();
  return recovered;
}

function wakeLanes(lanes: KeyedWorker, conversationIds: readonly string[]): void {
  for (const lane of new Set(conversationIds.map(laneOf))) for (const key of keysOf(lane)) lanes.wake(key);
}

function isBusy(lanes: KeyedWorker, conversationId: string): boolean {
  return keysOf(laneOf(conversationId)).some((key) => lanes.isBusy(key));
}

async function whenIdle(lanes: KeyedWorker, conversationId: string): Promise<void> {
  const keys = keysOf(laneOf(conversationId));
  while (isBusy(lanes, conversationId)) await Promise.all(keys.map((key) => lanes.whenIdle(key)));
}

interface LaneContext {
  readonly delivery: DeliveryContext;
  readonly turns: Turns;
}

/** Delivers the messages of one track, in order, until none is left. Never throws. */
async function workOn(key: string, { delivery, turns }: LaneContext, signal: AbortSignal): Promise<void> {
  const { outbox, adapters, tracks, pacer, clock, log } = delivery;
  const { lane, track } = trackOf(key);
  let moves = 0;
  let last: ChannelError | undefined;
  let due = '';
  while (!signal.aborted) {
    try {
      const row = await outbox.next(lane, track);
      const adapter = row && adapters.get(row.conversation.channel);
      if (row === undefined || adapter === undefined) return;
      await delivery.prepareReaders([row.conversationId]);
      await tracks.awaitEarlier(row, key, { isLate: pacer.isLate(row), signal });
      if (signal.aborted) return;
      if (due !== row.message.id) turns.forget(due);
      due = row.message.id;
      if (await turns.hasWaited(row, adapter, signal)) continue;
      tracks.begun(key);
      last = await deliverRow({ delivery, row, lane: laneOf(row.conversationId), adapter, moves, last, signal });
      turns.forget(due);
      moves = last?.fault.type === 'moved' ? moves + 1 : 0;
      if (last !== undefined && (last.fault.type !== 'moved' || moves > mostMoves))
        await tracks.pause(row, last.fault, key, signal);
    } catch (error) {
      log.error({ err: error, lane }, 'a message could not be delivered, and will be tried again');
      await sleep(clock, afterOwnFault, signal);
    } finally {
      tracks.changed(key);
    }
  }
}

const stoppedTooOften: InLanguage = (language) => deliveryWords[language].stoppedWhileSent({ times: mostKills });
const ownFault: InLanguage = (language) => deliveryWords[language].ownFault;

/** Resolves with the error if the row must be retried; undefined when it is done. */
async function deliverRow(attempt: Attempt): Promise<ChannelError | undefined> {
  const { delivery, row, last } = attempt;
  const { message, revision, conversationId, kills, failures } = row;
  if (row.isSettled) {
    await delivery.outbox.abandon(message.id, revision);
    return undefined;
  }
  // After rate limits again and again, try the stub next.
  if (last?.fault.type === 'rate-limited' && failures > 1 && failingFor(attempt) >= longestPatience)
    return (await tryStub(last, attempt)) ? undefined : last;
  if (kills >= mostKills && row.atMostOnce === undefined) {
    const failure = new ChannelError({ type: 'transient' }, stoppedTooOften);
    return (await tryStub(failure, attempt)) ? undefined : failure;
  }
  try {
    await (kills > 0 ? showSuspect(attempt) : showRow(row, attempt));
    // A stub in its place can now say so.
    if (failures > 0) delivery.wake([conversationId]);
    return undefined;
  } catch (error) {
    return refused(error, attempt);
  }
}

/** The message was not shown. Resolves as `deliverRow`; rethrows an error of our own, once it is noted. */
async function refused(error: unknown, attempt: Attempt): Promise<ChannelError | undefined> {
  const { delivery, row, signal } = attempt;
  const { message, conversationId, conversation } = row;
  const { outbox, clock, log } = delivery;
  if (!(error instanceof ChannelError) && signal.aborted) throw error;
  // A message that makes our own code throw must not block its chat either.
  const known = error instanceof ChannelError ? error : new ChannelError({ type: 'transient' }, ownFault);
  const { fault } = known;
  const fields = { message: message.id, conversation: conversationId, fault: fault.type, reason: known.message };
  if (isFinal(fault, attempt)) {
    log.warn(fields, 'a message will not be sent again');
    await markFailed(known, attempt);
    return undefined;
  }
  if (fault.type === 'moved' && !isUnreachable(fault, attempt)) {
    await delivery.moved(conversation, fault.chatId);
    return known;
  }
  if (fault.type === 'rate-limited') delivery.pacer.refused(row);
  await note(() => outbox.tried(message.id, row.revision, reasonFor(known, attempt), clock.now()), attempt);
  log.info(fields, 'a message could not be sent');
  if (isEnough(known, attempt) && (await tryStub(known, attempt))) return undefined;
  if (isSilent(attempt)) tellOfSilence(known, attempt);
  if (known !== error) throw error;
  return known;
}

/** Counts the attempt as a kill while it lasts: if the process dies here, the count stays. */
async function showSuspect(attempt: Attempt): Promise<void> {
  const { delivery, row, signal } = attempt;
  const { clock, settings } = delivery;
  if (row.kills !== mostKills - 1) return showCounted(row, attempt);
  const leave = await delivery.lastTries.enter('last', signal);
  try {
    const wait = delivery.begunAt + settings.steadyAfter - clock.now();
    if (wait > 0) await sleep(clock, wait, signal);
    if (!signal.aborted) await showCounted(row, attempt);
  } finally {
    leave?.();
  }
}

async function showCounted(row: OutboxRow, attempt: Attempt): Promise<void> {
  const { outbox, clock } = attempt.delivery;
  const { id } = row.message;
  if (attempt.signal.aborted) return;
  await outbox.sendBegun(id);
  const acquit = (): void => void outbox.sendLasts(id).catch(() => undefined);
  const cancel = row.kills === mostKills - 1 ? clock.after(longestDeath, acquit) : undefined;
  try {
    await showRow(row, attempt);
  } finally {
    cancel?.();
    await note(() => outbox.sendEnded(id), attempt);
  }
}
