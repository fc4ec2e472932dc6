/*
 * Delivery. Each chat has two tracks, so that a file that fails holds up no card. A message is retried until the platform
 * answers: with growing pauses while it refuses, once more if the outcome is unknown. A message that keeps failing while
 * the platform accepts others is parked: a stub takes its place until a person says whether to retry. All counts are
 * stored in the row. Where not even a stub is accepted, the message is held: when the chat takes messages again, it is
 * offered there.
 */

import { type ChannelAdapter, ChannelError, type ChannelFault, type Conversation } from '../contract.ts';
import { KeyedTurns, KeyedWorker } from '../lib/background.ts';
import { sleep } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { offerOf, ownersText, silenceText, stubOf } from '../words/stub.ts';
import { createTracks, keysOf, laneOf, type OutboxRow, type Recovered, trackOf } from './outbox.ts';
import { createPacer, createTurns } from './pace.ts';
import { createSender, noteDown, type SenderParts } from './show.ts';

export type Delivery = ReturnType<typeof createDelivery>;

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
  readonly tellOwners: (markdown: string, besides: Besides) => void;
}

/** A chat in which something could not be shown. */
export interface Besides {
  readonly lane: string;
  /** A failed notice is not reported to other owners: two of them would report each other's for ever. */
  readonly isNotice: boolean;
  /** A stub in the chat says it: an owner whose own chat that is knows already, and no other is told. */
  readonly hasStub: boolean;
}

/** A chat that moves more often than this in a row is unreachable. */
const mostMoves = 3;

/** So many held messages of a conversation are offered at once, the newest. The others can be retried by typing. */
const mostOffers = 5;

/** Pause after an error of our own, such as a full disk, in ms. */
const afterOwnFault = 30_000;

/**
 * When to try the stub: after so many failures with the same words, or with any words, over this time (in ms). With a
 * fifth of all requests failing at random, five failures in a row happen, but not five alike. A proxy that blocks a
 * message usually objects to its content, but a bad minute of the proxy must not park anything.
 */
const enough = { alike: 5, tries: 8, time: 30_000, timeOfBlocked: 10_000 } as const;

/** For so long the platform may rate-limit one message before the stub is tried, in ms. */
const longestPatience = 900_000;

/** Owners are told when a chat accepts nothing for this long while others on its channel do, in ms. */
const longestSilence = 600_000;

/** A message that may have killed this many processes is not sent. */
const mostKills = 3;

/** A message that kills the process does so within this time. A longer send is just waiting for the platform. In ms. */
const longestDeath = 2_000;

const killsWords = `Keyturn was stopped ${mostKills} times while it was sent`;

const ownFaultWords = 'Keyturn has a fault of its own there: its log has more';

/**
 * Delivers stored messages, chats in parallel. A message waits for earlier ones in its chat: on its own track until they are
 * delivered, on the other track for a few seconds. An at-most-once message with an unknown outcome is never sent again.
 * Nothing is parked unless a stub got through or was refused.
 */
export function createDelivery(parts: DeliveryParts) {
  const { outbox, adapters, live, clock, log, cardRefused, cardShown, chatRefuses, moved, tellOwners } = parts;
  const tracks = createTracks(outbox, clock, parts.settings);
  const pacer = createPacer(clock);
  const turns = createTurns(pacer, tracks);
  const sender = createSender({ ...parts, awaitTurn: turns.awaitTurn });
  const lanes = new KeyedWorker(work);
  const begunAt = clock.now();
  /** Last tries run one at a time: in parallel they would tell nothing about any one message. */
  const lastTries = new KeyedTurns();
  /** Unresponsive chats that owners were told of. */
  const silent = new Set<string>();
  /** Conversations with held messages, and those of them that have refused an offer since they last took something. */
  const holding = new Set<string>();
  const refusing = new Set<string>();

  /**
   * Finds what an earlier process left, and removes its leftover files. Call before anything can come in. `isSuspicious`: what
   * it was sending may have killed it.
   */
  async function recover(isSuspicious = true): Promise<Recovered> {
    const recovered = await outbox.recover(clock.now(), isSuspicious);
    for (const conversationId of recovered.held) holding.add(conversationId);
    await sender.removeLeftovers();
    return recovered;
  }

  function wake(conversationIds: readonly string[]): void {
    for (const lane of new Set(conversationIds.map(laneOf))) for (const key of keysOf(lane)) lanes.wake(key);
  }

  function isBusy(conversationId: string): boolean {
    return keysOf(laneOf(conversationId)).some((key) => lanes.isBusy(key));
  }

  async function whenIdle(conversationId: string): Promise<void> {
    while (isBusy(conversationId)) await Promise.all(keysOf(laneOf(conversationId)).map((key) => lanes.whenIdle(key)));
  }

  /** Starts no new send; resolves when those in flight end. The rest stays stored. */
  async function stop(): Promise<void> {
    lanes.abortAll('stopping');
    await lanes.close();
  }

  async function work(key: string, signal: AbortSignal): Promise<void> {
    const { lane, track } = trackOf(key);
    let moves = 0;
    let last: ChannelError | undefined;
    let due = '';
    while (!signal.aborted) {
      try {
        const row = await outbox.next(lane, track);
        const adapter = row && adapters.get(row.conversation.channel);
        if (row === undefined || adapter === undefined) return;
        await tracks.awaitEarlier(row, key, { isLate: pacer.isLate(row), signal });
        if (signal.aborted) return;
        if (due !== row.message.id) turns.forget(due);
        due = row.message.id;
        if (await turns.hasWaited(row, adapter, signal)) continue;
        tracks.begun(key);
        last = await deliverRow(row, adapter, { moves, last, signal });
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

  /** Resolves with the error if the row must be retried; undefined when it is done. */
  async function deliverRow(
    row: OutboxRow,
    adapter: ChannelAdapter,
    { moves, last, signal }: Attempt,
  ): Promise<ChannelError | undefined> {
    const { message, revision, conversationId, conversation, approvalId, atMostOnce, kills, failures } = row;
    const lane = laneOf(conversationId);
    const failingSince = (): number => row.failingSince ?? clock.now();
    const failingFor = (): number => clock.now() - failingSince();
    const note = (write: () => Promise<void>): Promise<void> => noteDown(write, parts, signal);
    const about = (hasStub: boolean) => ({ lane, isNotice: row.kind === 'notice', hasStub });

    if (row.isSettled) return outbox.abandon(message.id, revision).then(() => undefined);
    // After rate limits again and again, try the stub next.
    if (last?.fault.type === 'rate-limited' && failures > 1 && failingFor() >= longestPatience)
      return (await tryStub(last)) ? undefined : last;
    if (kills >= mostKills && atMostOnce === undefined) {
      const failure = new ChannelError({ type: 'transient' }, killsWords);
      return (await tryStub(failure)) ? undefined : failure;
    }
    try {
      await (kills > 0 ? showSuspect() : show(row));
      // A stub in its place can now say so.
      if (failures > 0) wake([conversationId]);
      return undefined;
    } catch (error) {
      if (!(error instanceof ChannelError) && signal.aborted) throw error;
      // A message that makes our own code throw must not block its chat either.
      const known = error instanceof ChannelError ? error : new ChannelError({ type: 'transient' }, ownFaultWords);
      const { fault } = known;
      const fields = { message: message.id, conversation: conversationId, fault: fault.type, reason: known.message };
      if (isFinal(fault)) {
        log.warn(fields, 'a message will not be sent again');
        return markFailed(known);
      }
      if (fault.type === 'moved' && !isUnreachable(fault)) {
        await moved(conversation, fault.chatId);
        return known;
      }
      if (fault.type === 'rate-limited') pacer.refused(row);
      await note(() => outbox.tried(message.id, revision, known.message, clock.now()));
      log.info(fields, 'a message could not be sent');
      if (isEnough(known) && (await tryStub(known))) return undefined;
      if (isSilent()) tellOfSilence(known.message);
      if (known !== error) throw error;
      return known;
    }

    /** Counts the attempt as a kill while it lasts: if the process dies here, the count stays. */
    async function showSuspect(): Promise<void> {
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
          await show(row);
        } finally {
          cancel?.();
          await note(() => outbox.sendEnded(message.id));
        }
      } finally {
        leave?.();
      }
    }

    async function show(shown: OutboxRow): Promise<void> {
      await sender.show(shown, adapter, signal);
      tracks.shown(shown);
      if (adapter.capabilities.sendPace !== undefined) pacer.sent(shown, adapter.capabilities.sendPace);
      silent.delete(lane);
      if (holding.size > 0 && shown.stubOf === undefined) await offerHeld(shown.conversationId, signal);
      if (shown.approvalId !== undefined) cardShown(shown.approvalId);
    }

    function isFinal(fault: ChannelFault): boolean {
      if (fault.type === 'ambiguous') return atMostOnce !== undefined;
      // Whoever sent it learns the outcome: a tool its result, an approval that this card is refused.
      return isRefusal(fault) && (atMostOnce !== undefined || approvalId !== undefined);
    }

    /** Whether the chat is said to be where the message was just sent, or somewhere else again and again. */
    function isUnreachable(fault: ChannelFault): boolean {
      return fault.type === 'moved' && (fault.chatId === conversation.chatId || moves >= mostMoves);
    }

    /** Whether the chat will never accept this message. */
    function isRefusal(fault: ChannelFault): boolean {
      return fault.type === 'permanent' || isUnreachable(fault);
    }

    async function markFailed({ fault, message: words }: ChannelError): Promise<undefined> {
      const reason = fault.type === 'ambiguous' ? `outcome unknown: ${words}` : words;
      await outbox.failed(message.id, revision, reason);
      // Nobody would ask again: the row is done.
      if (approvalId !== undefined) await note(() => cardRefused(approvalId));
      await sender.removeFiles(message.id);
    }

    /** Whether to test with the stub. Under a rate limit, only messages accepted meanwhile show that the chat works. */
    function isEnough({ fault, message: reason }: ChannelError): boolean {
      const alike = failures > 0 && row.failure === reason ? row.failuresAlike + 1 : 1;
      if (isRefusal(fault)) return true;
      if (fault.type === 'transient' && fault.isUnsent === true) return false;
      if (fault.type === 'rate-limited' && !tracks.hasShownSince(lane, failingSince())) return false;
      const isBlocked = fault.type === 'transient' && fault.isBlocked === true;
      const isOften = alike >= enough.alike || failures + 1 >= enough.tries;
      return isOften && failingFor() >= (isBlocked ? enough.timeOfBlocked : enough.time);
    }

    /**
     * Tries the stub in place of the message. True if the message needs no pause: it is done or parked, or the platform has
     * just accepted the stub, and the message gets another try in case everything works again.
     */
    async function tryStub(failure: ChannelError): Promise<boolean> {
      if (signal.aborted) return false;
      if (row.stubOf !== undefined) return giveUpStub();
      if (row.isMovedOn) {
        await markFailed(failure);
        return true;
      }
      const stub = await stubFor(failure.message);
      switch (await showStub(stub)) {
        case 'shown':
          return true;
        case 'failed':
          return false;
        case 'refused':
          if (isOffered()) await hold(stub, failure);
          else if (isRefusal(failure.fault)) await markFailed(failure);
          else await park(stub, failure.message);
          return true;
        case 'stands':
          await park(stub, failure.message);
          return true;
      }
    }

    /** Whether people miss it when they are back. What tools did, or what became of a card, is over then. */
    function isOffered(): boolean {
      return row.kind === 'reply' || row.kind === 'for_user' || row.kind === 'notice';
    }

    /** A stub has no stub. What it stands for stays parked, and can be retried by typing. */
    async function giveUpStub(): Promise<true> {
      await note(() => outbox.stubRefused(message.id));
      holding.add(conversationId);
      refusing.add(conversationId);
      return true;
    }

    /** The stored stub of the message. One that has failed before says less. */
    async function stubFor(reason: string): Promise<OutboxRow> {
      const store = (id: string, isBare: boolean): Promise<OutboxRow> =>
        outbox.standIn(
          message.id,
          { conversationId, message: stubOf(row, { id, reason, isBare }, parts.readerIn(conversationId).language) },
          clock.now(),
        );
      const stub = await store(newId(8), false);
      return stub.failures > 0 ? store(stub.message.id, true) : stub;
    }

    /** `stands`: it was shown before · `refused`: for good · `failed`: it may be accepted later. */
    async function showStub(stub: OutboxRow) {
      if (stub.deliveredRevision > 0) return 'stands';
      try {
        await show(stub);
        return 'shown';
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        const { type } = error.fault;
        // Its words may be what is refused; with a lost answer they are not.
        if (type === 'transient' || type === 'permanent')
          await outbox.tried(stub.message.id, stub.revision, error.message, clock.now());
        return isRefusal(error.fault) ? 'refused' : 'failed';
      }
    }

    /** The chat accepts not even the stub. It is shown once the chat accepts something else. */
    async function hold(stub: OutboxRow, { fault, message: reason }: ChannelError): Promise<void> {
      const offer = offerOf(row, stub.message.id, parts.readerIn(conversationId));
      await note(() => outbox.hold(message.id, revision, reason, offer, clock.now()));
      holding.add(conversationId);
      log.warn(
        { message: message.id, conversation: conversationId, reason },
        'a message waits until its chat takes some',
      );
      live.take(row, adapter);
      if (isRefusal(fault)) tellOfSilence(reason);
      else tellOwners(ownersText(stub.message.id, row, reason, 'en'), about(false));
    }

    async function park(stub: OutboxRow, reason: string): Promise<void> {
      await note(() => outbox.park(message.id, revision, reason, clock.now()));
      log.warn({ message: message.id, conversation: conversationId, reason }, 'a message waits for a word of a person');
      live.take(row, adapter);
      if (approvalId !== undefined) cardShown(approvalId);
      tellOwners(ownersText(stub.message.id, row, reason, 'en'), about(stub.deliveredRevision > 0));
    }

    /** Whether the chat has accepted nothing for long while others on its channel have. */
    function isSilent(): boolean {
      const hasShown = (place: string): boolean => tracks.hasShownSince(place, failingSince());
      return failingFor() >= longestSilence && hasShown(conversation.channel) && !hasShown(lane);
    }

    /** Tells owners once, until the chat accepts a message again. */
    function tellOfSilence(reason: string): void {
      if (silent.has(lane)) return;
      silent.add(lane);
      chatRefuses(conversationId, reason);
      tellOwners(silenceText(lane, reason, 'en'), { lane, isNotice: false, hasStub: false });
    }
  }

  /** The chat accepts messages: offers there what it has refused before. A thread that refuses that is not asked again. */
  async function offerHeld(accepting: string, signal: AbortSignal): Promise<void> {
    refusing.delete(accepting);
    const lane = laneOf(accepting);
    const places = [...holding].filter((place) => laneOf(place) === lane && !refusing.has(place));
    for (const place of places) {
      holding.delete(place);
      await noteDown(() => outbox.offerHeld(place, mostOffers), parts, signal);
    }
    if (places.length > 0) wake(places);
  }

  /** The platform is reachable again: ends the pauses. */
  const revive = (channel: string): void => tracks.revive(channel);
  return { recover, wake, revive, isBusy, whenIdle, stop };
}

interface Attempt {
  /** How often the chat moved since the last successful send. */
  readonly moves: number;
  /** The last error on this track. */
  readonly last: ChannelError | undefined;
  readonly signal: AbortSignal;
}
