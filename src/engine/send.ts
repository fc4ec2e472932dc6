/*
 * What goes out. Each chat has two tracks, so that a file which does not get through holds no card back. A message is
 * tried until the platform has answered: later and later when it refuses for now, once more when nobody knows whether
 * it arrived. What keeps failing while the platform takes other messages is parked: a stub stands in its place until a
 * person says whether to try again. All counts are in the row.
 */

import { type ChannelAdapter, ChannelError, type ChannelFault, type Conversation } from '../contract.ts';
import { sleep } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { KeyedTurns, KeyedWorker } from '../lib/keyed-worker.ts';
import { ownersText, silenceText, stubOf } from '../words/stub.ts';
import { createTracks, keysOf, laneOf, type OutboxRow, type Recovered, trackOf } from './outbox.ts';
import { createSender, noteDown, type SenderParts } from './show.ts';

export type Delivery = ReturnType<typeof createDelivery>;

export interface DeliveryParts extends SenderParts {
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  /** Told that the platform refuses a card for good. */
  readonly cardRefused: (approvalId: string) => Promise<void>;
  /** Told that a card stands in its chat, or something in its place: its time begins. */
  readonly cardShown: (approvalId: string) => void;
  /** Told that a chat has another id now. Resolves once messages for the conversation go there. */
  readonly moved: (from: Conversation, chatId: string) => Promise<void>;
  /** Says something to the owners who have a chat of their own outside of this one. */
  readonly tellOwners: (markdown: string, besides: Besides) => void;
}

/** A chat in which something could not be shown. */
export interface Besides {
  readonly lane: string;
  /** It was a notice. If that was for an owner, nobody else is told: two of them would be told of each other's for ever. */
  readonly isNotice: boolean;
}

/** A chat that is moved more often than this, one time after the other, can't be reached. */
const mostMoves = 3;

/** How long to wait after a fault of Keyturn's own, as of a disk that is full. In milliseconds. */
const afterOwnFault = 30_000;

/**
 * A message that has failed so often in the same words, or in any words, for so long, is not tried any more if the platform
 * takes the stub in its place. Where a fifth of all requests fails at random, five in a row happen, but not five alike. What a
 * proxy refuses is rather about the message itself, but a bad minute of the proxy must park nothing. Times are in milliseconds.
 */
const enough = { alike: 5, tries: 8, time: 30_000, timeOfBlocked: 10_000 } as const;

/** How long the platform may ask for patience for one message before the stub is tried in its place. In milliseconds. */
const longestPatience = 900_000;

/** How long a chat may take nothing, while others of its channel do, until owners are told. In milliseconds. */
const longestSilence = 600_000;

/** What may have killed so many processes is not sent. */
const mostKills = 3;

/** What kills a process does so sooner. A send may wait for the platform for longer, and then tells nothing. In milliseconds. */
const longestDeath = 2_000;

const killsWords = `Keyturn was stopped ${mostKills} times while it was sent`;

const ownFaultWords = 'Keyturn has a fault of its own there: its log has more';

/**
 * Brings stored messages to people, chats beside each other. A message waits for all that were written before it in its chat:
 * on its own track until they have arrived, on the other one for a few seconds. One that is sent once at most is never sent again
 * where nobody knows whether it arrived. While not even a stub gets through, nothing is parked.
 */
export function createDelivery(parts: DeliveryParts) {
  const { outbox, adapters, files, live, clock, log, cardRefused, cardShown, moved, tellOwners } = parts;
  const sender = createSender(parts);
  const tracks = createTracks(outbox, clock, parts.settings);
  const lanes = new KeyedWorker(work);
  const begunAt = clock.now();
  /** Last tries are made one after the other: beside each other, they would tell nothing of any. */
  const lastTries = new KeyedTurns();
  /** Chats that take nothing, of which owners know. */
  const silent = new Set<string>();

  /** Finds what a former process has left, and removes the files that it left over. Call it before anything can come in. */
  async function recover(): Promise<Recovered> {
    const recovered = await outbox.recover(clock.now());
    await removeLeftovers();
    return recovered;
  }

  /** There is something to deliver. */
  function wake(conversationIds: readonly string[]): void {
    for (const lane of new Set(conversationIds.map(laneOf))) for (const key of keysOf(lane)) lanes.wake(key);
  }

  function isBusy(conversationId: string): boolean {
    return keysOf(laneOf(conversationId)).some((key) => lanes.isBusy(key));
  }

  async function whenIdle(conversationId: string): Promise<void> {
    while (isBusy(conversationId)) await Promise.all(keysOf(laneOf(conversationId)).map((key) => lanes.whenIdle(key)));
  }

  /** Begins no new sending; resolves when those in flight have ended. What is left stays stored. */
  async function stop(): Promise<void> {
    lanes.abortAll('stopping');
    await lanes.close();
  }

  async function work(key: string, signal: AbortSignal): Promise<void> {
    const { lane, track } = trackOf(key);
    let moves = 0;
    let last: ChannelError | undefined;
    while (!signal.aborted) {
      try {
        const row = await outbox.next(lane, track);
        const adapter = row && adapters.get(row.conversation.channel);
        if (row === undefined || adapter === undefined) return;
        await tracks.awaitEarlier(row, key, signal);
        if (signal.aborted) return;
        tracks.begun(key);
        last = await deliver(row, adapter, { moves, last, signal });
        moves = last?.fault.type === 'moved' ? moves + 1 : 0;
        if (last !== undefined && last.fault.type !== 'moved') await tracks.pause(row, last.fault, key, signal);
      } catch (error) {
        log.error({ err: error, lane }, 'a message could not be delivered, and will be tried again');
        await sleep(clock, afterOwnFault, signal);
      } finally {
        tracks.changed(key);
      }
    }
  }

  /** Resolves with why it is to be tried again, or undefined when the row is done with. */
  async function deliver(row: OutboxRow, adapter: ChannelAdapter, attempt: Attempt): Promise<ChannelError | undefined> {
    const { message, revision, conversationId: conversation } = row;
    const { last, signal } = attempt;
    if (row.isSettled) return outbox.abandon(message.id, revision).then(() => undefined);
    // Where the platform asks for patience again and again, the stub is what is tried next.
    if (last?.fault.type === 'rate-limited' && row.failures > 1 && failingFor(row) >= longestPatience)
      return (await parks(row, last, adapter, attempt)) ? undefined : last;
    if (row.kills >= mostKills && row.atMostOnce === undefined) {
      const failure = new ChannelError({ type: 'transient' }, killsWords);
      return (await parks(row, failure, adapter, attempt)) ? undefined : failure;
    }
    try {
      await (row.kills > 0 ? showSuspect(row, adapter, attempt) : show(row, adapter, attempt));
      // A stub may stand in its place, which says so now.
      if (row.failures > 0) wake([conversation]);
      return undefined;
    } catch (error) {
      if (!(error instanceof ChannelError) && signal.aborted) throw error;
      // A message that Keyturn itself stumbles over does not block its chat either.
      const known = error instanceof ChannelError ? error : new ChannelError({ type: 'transient' }, ownFaultWords);
      const { fault } = known;
      const fields = { message: message.id, conversation, fault: fault.type, reason: known.message };
      if (isFinal(fault, row, attempt)) {
        log.warn(fields, 'a message will not be sent again');
        return markFailed(row, known, attempt);
      }
      if (fault.type === 'moved') {
        await moved(row.conversation, fault.chatId);
        return known;
      }
      await noteDown(() => outbox.tried(message.id, revision, known.message, clock.now()), parts, signal);
      log.info(fields, 'a message could not be sent');
      if (isEnough(row, known) && (await parks(row, known, adapter, attempt))) return undefined;
      if (isSilent(row)) tellOfSilence(row, known);
      if (known !== error) throw error;
      return known;
    }
  }

  /** What may have killed a process is noted while it is sent: an end that nobody notes is another one. */
  async function showSuspect(row: OutboxRow, adapter: ChannelAdapter, attempt: Attempt): Promise<void> {
    const { kills, message } = row;
    const { signal } = attempt;
    const isLast = kills === mostKills - 1;
    const leave = isLast ? await lastTries.enter('last', signal) : undefined;
    try {
      const wait = isLast ? begunAt + parts.settings.steadyAfter - clock.now() : 0;
      if (wait > 0) await sleep(clock, wait, signal);
      if (signal.aborted) return;
      await outbox.sendBegun(message.id);
      const acquit = (): void => void outbox.sendLasts(message.id).catch(() => undefined);
      const cancel = isLast ? clock.after(longestDeath, acquit) : undefined;
      try {
        await show(row, adapter, attempt);
      } finally {
        cancel?.();
        await noteDown(() => outbox.sendEnded(message.id), parts, signal);
      }
    } finally {
      leave?.();
    }
  }

  async function show(row: OutboxRow, adapter: ChannelAdapter, { signal }: Attempt): Promise<void> {
    await sender.show(row, adapter, signal);
    tracks.shown(row);
    silent.delete(laneOf(row.conversationId));
    if (row.approvalId !== undefined) cardShown(row.approvalId);
  }

  /**
   * Whether the message is not to be tried after a pause: it waits for a person from now on, or the platform has taken the
   * stub in its place right now, and the message is tried once more. It may be that everything gets through again.
   */
  async function parks(row: OutboxRow, failure: ChannelError, adapter: ChannelAdapter, attempt: Attempt) {
    const reason = failure.message;
    const { message, revision, conversationId, kind, approvalId } = row;
    const lane = laneOf(conversationId);
    if (attempt.signal.aborted) return false;
    const isBare = (known?: OutboxRow): boolean => known !== undefined && known.failures > 0;
    const standIn = (known?: OutboxRow): Promise<OutboxRow> => {
      const stub = stubOf(row, reason, known?.message.id ?? newId(8), isBare(known));
      return outbox.standIn(message.id, { conversationId, message: stub }, clock.now());
    };
    const first = await standIn();
    const stub = isBare(first) ? await standIn(first) : first;
    try {
      if (stub.deliveredRevision === 0) {
        await show(stub, adapter, attempt);
        return true;
      }
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const { type } = error.fault;
      // Its words may be what is refused; where the answer was lost, they are not.
      if (type === 'transient' || type === 'permanent')
        await outbox.tried(stub.message.id, stub.revision, error.message, clock.now());
      if (type !== 'permanent') return false;
      if (failure.fault.type === 'permanent') {
        tellOfSilence(row, failure);
        await markFailed(row, failure, attempt);
        return true;
      }
    }
    await noteDown(() => outbox.park(message.id, revision, reason, clock.now()), parts, attempt.signal);
    log.warn({ message: message.id, conversation: conversationId, reason }, 'a message waits for a word of a person');
    live.take(row, adapter);
    if (approvalId !== undefined) cardShown(approvalId);
    tellOwners(ownersText(stub.message.id, row, reason), { lane, isNotice: kind === 'notice' });
    return true;
  }

  /** Whether to look if the platform takes anything there. Where it asks for patience, only what it took meanwhile shows that. */
  function isEnough(row: OutboxRow, { fault, message: reason }: ChannelError): boolean {
    const { failures, failuresAlike, failure, conversationId, failingSince = clock.now() } = row;
    const alike = failures > 0 && failure === reason ? failuresAlike + 1 : 1;
    if (fault.type === 'permanent') return true;
    if (fault.type === 'transient' && fault.isUnsent === true) return false;
    if (fault.type === 'rate-limited' && !tracks.hasShownSince(laneOf(conversationId), failingSince)) return false;
    const isBlocked = fault.type === 'transient' && fault.isBlocked === true;
    const isOften = alike >= enough.alike || failures + 1 >= enough.tries;
    return isOften && failingFor(row) >= (isBlocked ? enough.timeOfBlocked : enough.time);
  }

  /** Whether the chat has taken nothing for long, while others of its channel have. */
  function isSilent({ conversation: { channel }, conversationId, failingSince = clock.now() }: OutboxRow): boolean {
    const hasShown = (place: string): boolean => tracks.hasShownSince(place, failingSince);
    return clock.now() - failingSince >= longestSilence && hasShown(channel) && !hasShown(laneOf(conversationId));
  }

  /** Tells owners once of a chat that takes nothing, until it does. */
  function tellOfSilence({ conversationId }: OutboxRow, { message: reason }: ChannelError): void {
    const lane = laneOf(conversationId);
    if (silent.has(lane)) return;
    silent.add(lane);
    tellOwners(silenceText(lane, reason), { lane, isNotice: false });
  }

  function failingFor({ failingSince = clock.now() }: OutboxRow): number {
    return clock.now() - failingSince;
  }

  async function markFailed(
    row: OutboxRow,
    { fault, message: words }: ChannelError,
    { signal }: Attempt,
  ): Promise<undefined> {
    const { message, revision, approvalId } = row;
    const reason = fault.type === 'ambiguous' ? `outcome unknown: ${words}` : words;
    await outbox.failed(message.id, revision, reason);
    // Nobody would ask again: the row is done with.
    if (approvalId !== undefined) await noteDown(() => cardRefused(approvalId), parts, signal);
    await sender.removeFiles(message.id);
  }

  async function removeLeftovers(): Promise<void> {
    try {
      for (const messageId of await files.owners()) {
        if (!(await outbox.isQueued(messageId))) await files.remove(messageId);
      }
    } catch (error) {
      log.warn({ err: error }, 'files of a former process could not be removed');
    }
  }

  /** The platform can be reached again: what pauses because it could not is tried now. */
  const revive = (channel: string): void => tracks.revive(channel);
  return { recover, wake, revive, isBusy, whenIdle, stop };
}

interface Attempt {
  /** How often the chat has moved since something was last sent to it. */
  readonly moves: number;
  /** Why the last try on this track failed, if it did. */
  readonly last: ChannelError | undefined;
  readonly signal: AbortSignal;
}

function isFinal(
  fault: ChannelFault,
  { conversation, atMostOnce, approvalId }: OutboxRow,
  { moves }: Attempt,
): boolean {
  if (fault.type === 'ambiguous') return atMostOnce !== undefined;
  if (fault.type === 'moved') return fault.chatId === conversation.chatId || moves >= mostMoves;
  // Who has asked for such a message is told what became of it.
  return fault.type === 'permanent' && (atMostOnce !== undefined || approvalId !== undefined);
}
