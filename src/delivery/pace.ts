/*
 * The pace of sending. Platforms take a short burst, and refuse more than a few messages a second for long: so many in
 * one chat, so many in all. What has waited, such as after an outage, is sent at that pace. What was just written is not
 * held back: a person waits for it.
 */

import type { ChannelAdapter, SendPace } from '../contract.ts';
import { KeyedTurns } from '../lib/background.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import { laneOf, type OutboxRow, type Tracks } from './outbox.ts';

type Paced = Pick<OutboxRow, 'conversationId' | 'conversation' | 'kind' | 'createdAt' | 'failures'>;

/** A message that is older has waited, in ms. */
const fresh = 5_000;
/** So many sends that were late by chance may be made up for. */
const catchUp = 4;
/** For so long after a refusal, nothing follows at once in the chat, in ms. */
const afterRefusal = 60_000;
/** Above so many chats, those that are quiet again are forgotten. */
const mostLanes = 1_000;

export interface Pacer {
  /** Whether it has waited, or was refused. */
  isLate(row: Paced): boolean;
  /** Whether it may be sent now. If so, it counts as sent. */
  takes(row: Paced, pace: SendPace): boolean;
  /** Resolves when it may be sent, and counts as sent; or when the signal aborts. */
  awaitTurn(row: Paced, pace: SendPace, signal: AbortSignal): Promise<void>;
  /** The platform has it: the next one in the chat comes a whole pause later, however long the request took. */
  sent(row: Paced, pace: SendPace): void;
  /** The platform refuses for now: no burst follows. */
  refused(row: Paced): void;
}

interface PacerContext {
  readonly clock: Clock;
  /** When a chat, and a channel, has its pace back. */
  readonly chats: Map<string, number>;
  readonly channels: Map<string, number>;
  /** Until when a chat that has refused gets no burst. */
  readonly strict: Map<string, number>;
  /** What has waited is sent in the order in which it came here, a channel at a time. */
  readonly turns: KeyedTurns;
}

export function createPacer(clock: Clock): Pacer {
  const context: PacerContext = {
    clock,
    chats: new Map(),
    channels: new Map(),
    strict: new Map(),
    turns: new KeyedTurns(),
  };
  const { chats, strict } = context;
  return {
    isLate: (row) => isLate(row, context),
    takes(row, pace) {
      if (isLate(row, context) || waitFor(row, pace, context) > 0) return false;
      count(row, pace, context);
      return true;
    },
    awaitTurn: (row, pace, signal) => awaitLate(row, pace, signal, context),
    sent({ conversationId, conversation: { kind } }, pace) {
      const lane = laneOf(conversationId);
      chats.set(lane, Math.max(chats.get(lane) ?? 0, clock.now() + pace[kind]));
    },
    refused({ conversationId }) {
      strict.set(laneOf(conversationId), clock.now() + afterRefusal);
    },
  };
}

function isLate({ createdAt, failures }: Paced, { clock }: PacerContext): boolean {
  return failures > 0 || clock.now() - createdAt > fresh;
}

/** For how long the message must wait for its chat, in ms. */
function waitFor(row: Paced, pace: SendPace, context: PacerContext): number {
  const { chats, strict, clock } = context;
  const lane = laneOf(row.conversationId);
  const left = (chats.get(lane) ?? 0) - clock.now();
  if (isLate(row, context) || (strict.get(lane) ?? 0) > clock.now()) return left;
  // Replies and cards are as many as people ask for.
  if (row.kind !== 'notice') return 0;
  return left - (pace.burst - 1) * pace[row.conversation.kind];
}

function count({ conversationId, conversation }: Paced, pace: SendPace, context: PacerContext): void {
  const { chats, channels, strict } = context;
  const now = context.clock.now();
  const lane = laneOf(conversationId);
  const due = Math.max(chats.get(lane) ?? 0, now) + pace[conversation.kind];
  // However much was sent at once, its time is over soon.
  chats.set(lane, Math.min(due, now + pace.burst * pace[conversation.kind]));
  const { channel } = conversation;
  channels.set(channel, Math.max(channels.get(channel) ?? 0, now - catchUp * pace.total) + pace.total);
  if (chats.size + strict.size <= mostLanes) return;
  for (const known of [chats, strict]) for (const [one, at] of known) if (at <= now) known.delete(one);
}

/** Waits until what has waited may be sent: first for its chat, then for its turn on the channel. */
async function awaitLate(row: Paced, pace: SendPace, signal: AbortSignal, context: PacerContext): Promise<void> {
  const { clock, turns, channels } = context;
  const { channel } = row.conversation;
  for (let wait = waitFor(row, pace, context); !signal.aborted; wait = waitFor(row, pace, context)) {
    if (wait > 0) await sleep(clock, wait, signal);
    const leave = await turns.enter(channel, signal);
    const left = (channels.get(channel) ?? 0) - clock.now();
    if (left > 0) await sleep(clock, left, signal);
    // Something else may have been sent to the chat meanwhile.
    const isDue = waitFor(row, pace, context) <= 0;
    if (isDue) count(row, pace, context);
    leave?.();
    if (isDue) return;
  }
}

/** Gives messages their turn at the pace of their channel, if that has one. */
export interface Turns {
  /** Resolves when one more message may be sent for the row, or when the signal aborts. Says whether it had to wait. */
  awaitTurn(row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<boolean>;
  /**
   * Whether a message that is new to the platform had to wait. Read it again then: it may have been decided or dropped
   * meanwhile. A reply may be there as a preview, and waits later, part by part.
   */
  hasWaited(row: OutboxRow, adapter: ChannelAdapter, signal: AbortSignal): Promise<boolean>;
  /** The message needs no turn any more. */
  forget(messageId: string): void;
}

interface TurnsContext {
  readonly pacer: Pacer;
  readonly tracks: Pick<Tracks, 'waits' | 'goesOn'>;
  /** New messages whose turn it is: they count as sent. */
  readonly due: Set<string>;
}

export function createTurns(pacer: Pacer, tracks: TurnsContext['tracks']): Turns {
  const context: TurnsContext = { pacer, tracks, due: new Set() };
  return {
    awaitTurn: (row, adapter, signal) => awaitTurn(row, adapter, signal, context),
    hasWaited: (row, adapter, signal) => hasWaited(row, adapter, signal, context),
    forget: (messageId) => void context.due.delete(messageId),
  };
}

async function awaitTurn(
  row: OutboxRow,
  { capabilities: { sendPace } }: ChannelAdapter,
  signal: AbortSignal,
  { pacer, tracks, due }: TurnsContext,
): Promise<boolean> {
  if (sendPace === undefined || due.delete(row.message.id) || pacer.takes(row, sendPace)) return false;
  tracks.waits(row);
  await pacer.awaitTurn(row, sendPace, signal);
  tracks.goesOn(row);
  return true;
}

async function hasWaited(
  row: OutboxRow,
  adapter: ChannelAdapter,
  signal: AbortSignal,
  context: TurnsContext,
): Promise<boolean> {
  const { id } = row.message;
  const isNew = row.refs.length === 0 && row.kind !== 'reply' && !row.isSettled;
  if (!isNew || context.due.has(id) || adapter.capabilities.sendPace === undefined) return false;
  const isWaiting = await awaitTurn(row, adapter, signal, context);
  context.due.add(id);
  return isWaiting;
}
